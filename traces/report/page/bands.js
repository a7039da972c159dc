// The busy time of one array as a picture: control unit, engines and DMAs, every bar by its area.
Senn.bands = (() => {
  const [COMPUTE, POST, RECEIVE, SEND, STARTUP, QUEUE] = [0, 1, 2, 3, 4, 5];
  const QUIET = 0.35; // of a wait beside work

  // A colour for every instruction and thing done: posting towards ink, sending towards paper, and where a
  // step is looked for, everything else grey. It is the colour that fades, never the cover, which is time.
  const colourer = (record, step) => {
    const { mixed } = Senn.theme;
    const known = new Map();
    const colour = (name, what) => {
      if (what >= SEND) return mixed(name, 'paper', { [SEND]: 0.45, [STARTUP]: 0.65, [QUEUE]: 0.8 }[what]);
      return what === COMPUTE ? mixed(name, 'paper', 0) : mixed(name, 'ink', 0.45);
    };
    return (row, what) => {
      const found = !step || Senn.search.belongs(record.step(row), step);
      const key = `${found ? record.colour(row) : '-'}/${what}`;
      if (!known.has(key)) {
        known.set(key, found ? colour(record.colour(row), what) : mixed('wait', 'paper', 0.55));
      }
      return known.get(key);
    };
  };

  // -> { image, covered, at } of one array; the image stands at the top of its control unit.
  const paint = (record, facts, state, layout, band, ratio) => {
    const width = Math.max(1, Math.round((layout.right - layout.left) * ratio));
    const top = band.nodes - band.control;
    const sheet = Senn.ink.sheet(width, Math.max(1, Math.round((top + band.height) * ratio)));
    const scale = layout.scale * ratio;
    const x = (cycle) => (cycle - state.from) * scale;
    const colour = colourer(record, state.step);
    const put = (start, end, y0, y1, ...ink) => sheet.add(x(start), x(end), y0 * ratio, y1 * ratio, ...ink);

    // On every node of low..high that is shown.
    const lanes = (start, end, isDma, low, high, ...ink) => {
      if (high < Math.floor(state.low) || low >= state.high) return;
      const clip = (y) => Math.min(Math.max(y, 0), band.height);
      const draw = (first, last) => {
        const [y0, y1] = layout.edges(isDma, first, last);
        put(start, end, top + clip(y0), top + clip(y1), ...ink);
      };
      if (!layout.fine) draw(low, high);
      else {
        const last = Math.min(high, Math.ceil(state.high));
        for (let node = Math.max(low, Math.floor(state.low)); node <= last; node += 1) draw(node, node);
      }
    };

    controlUnit();
    waits();
    work();
    return sheet.picture();

    function controlUnit() {
      const { issue, end, stall, dependency_wait: late } = record.table('instructions');
      for (const row of record.rowsOfArray(band.array)) {
        if (end[row] < state.from || issue[row] - stall[row] > state.to) continue;
        const what = record.word('instructions.operation', row) === 'compute' ? COMPUTE : POST;
        put(issue[row], end[row], 0, layout.controlHeight, colour(row, what));
        if (stall[row] <= 0) continue;
        const begun = issue[row] - stall[row];
        const [y0, y1] = [0.35 * layout.controlHeight, 0.65 * layout.controlHeight];
        put(begun, begun + late[row], y0, y1, Senn.theme.rgb('wait'));
        put(begun + late[row], issue[row], y0, y1, Senn.theme.rgb('exposed'), 0.8);
      }
    }

    function waits() {
      const onWay = Senn.theme.mixed(state.step ? 'wait' : 'exposed', 'paper', 0.4);
      const { start, posted, end, array, low, high } = record.table('waits');
      for (let row = 0; row < array.length; row += 1) {
        if (array[row] !== band.array || end[row] <= state.from || start[row] >= state.to) continue;
        const [first, last] = low[row] < 0 ? [0, facts.nodes - 1] : [low[row], high[row]];
        lanes(start[row], posted[row], false, first, last, Senn.theme.rgb('wait'), QUIET);
        lanes(posted[row], end[row], false, first, last, onWay, QUIET);
      }
    }

    function work() {
      const { array, row: by, what, start, end, low, high } = record.table('bars');
      for (let row = 0; row < array.length; row += 1) {
        if (end[row] <= state.from || start[row] >= state.to || array[row] !== band.array) continue;
        const ink = colour(by[row], what[row]);
        lanes(start[row], end[row], what[row] >= SEND && what[row], low[row], high[row], ink);
      }
    }
  };

  return { paint, SEND, DMA: [SEND, STARTUP, QUEUE] };
})();
