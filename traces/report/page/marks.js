// What is written and drawn over the bars: parts and levels, names, messages as arrows, what is chosen.
Senn.marks = (() => {
  const FONT = '12px system-ui, sans-serif';
  const SMALL = '11px system-ui, sans-serif';
  const MOST_ARROWS = 600; // beyond, a picture of arrows is a black one
  const MOST_NAMES = 900;
  const WIDE = 10; // pixels of a bar whose beginning is marked

  // Names of arrays and nodes, left of the bars.
  const names = (context, state, layout) => {
    const { css } = Senn.theme;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    for (const band of layout.bands) {
      context.font = `600 ${FONT}`;
      context.fillStyle = css('ink');
      const narrow = layout.left < 60;
      context.fillText(narrow ? `a ${band.array}` : `array ${band.array}`, 2, band.control + 9);
      context.font = SMALL;
      context.fillStyle = css('quiet');
      if (!band.height) continue;
      if (!layout.fine) {
        for (const isDma of [false, true]) {
          const [y0, y1] = layout.edges(isDma, state.low, state.high);
          const middle = band.nodes + (y0 + y1) / 2;
          context.fillText(isDma ? (narrow ? 'dma' : 'DMAs') : narrow ? 'eng.' : 'engines', 2, middle - 7);
          const [first, last] = [Math.ceil(state.low), Math.ceil(state.high) - 1];
          if (!narrow) context.fillText(`${first} – ${last}`, 2, middle + 7);
        }
        continue;
      }
      const every = Math.ceil((12 * layout.shown) / band.height); // one below the other, not over each other
      for (let node = every * Math.ceil(state.low / every); node < state.high; node += every) {
        const [y0] = layout.edges(false, node, node);
        const [, y1] = layout.edges(true, node, node);
        if (y1 > band.height + 4) break;
        context.fillText(narrow ? `${node}` : `node ${node}`, narrow ? 14 : 18, band.nodes + (y0 + y1) / 2);
      }
    }
  };

  // Texts on one line, none of which covers another: those that come first have the room. Whether it is written.
  const strip = (context, layout) => {
    const taken = [];
    return (text, x, y, colour) => {
      const width = context.measureText(text).width;
      const begin = Math.min(x, layout.right - width);
      if (taken.some(([from, to]) => begin < to + 5 && from < begin + width + 5)) return false;
      taken.push([begin, begin + width]);
      context.fillStyle = Senn.theme.css(colour);
      context.fillText(text, begin, y);
      return true;
    };
  };

  // Instructions of an array that follow each other with the same key, from the end of what came before.
  const spans = (record, array, key) => {
    const { stall, issue, end } = record.table('instructions');
    const found = [];
    for (const row of record.rowsOfArray(array)) {
      const [name, last] = [key(row), found[found.length - 1]];
      if (last && last.name === name) last.to = Math.max(last.to, end[row]);
      else found.push({ name, row, from: issue[row] - Math.max(stall[row], 0), to: end[row] });
    }
    return found;
  };

  // Above the control unit: the parts ("I.b"), where the array ends, and the levels, where there is room.
  const parts = (context, record, facts, layout, band) => {
    const { level } = record.table('instructions');
    const write = strip(context, layout);
    const seen = ({ from, to }) => layout.x(to) > layout.left && layout.x(from) < layout.right;
    const left = (span) => Math.max(layout.x(span.from), layout.left);
    const y = band.top + 6;
    const last = layout.x(facts.ends[band.array]);
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    context.font = `600 ${SMALL}`;
    for (const span of spans(record, band.array, record.part).filter(seen)) {
      context.fillStyle = Senn.theme.css('ink');
      context.fillRect(left(span), band.top, 1, layout.levelsHeight);
      write(span.name, left(span) + 3, y, 'ink');
    }
    context.font = SMALL;
    if (last > layout.left && last < layout.right + 1) {
      context.fillStyle = Senn.theme.css('ink');
      context.fillRect(last - 0.5, band.top, 1, band.nodes + band.height - band.top);
      const cycle = Senn.axis.label(facts, facts.ends[band.array]);
      write(`ends at ${cycle}`, last + 4, y, 'ink') || write(cycle, last + 4, y, 'ink');
    }
    for (const span of spans(record, band.array, (row) => `${record.part(row)} ${level[row]}`).filter(seen)) {
      if (level[span.row] < 0) continue;
      context.fillStyle = Senn.theme.css('quiet');
      context.fillRect(left(span), band.top + 9, 1, 5);
      write(`${level[span.row]}`, left(span) + 3, y, 'quiet');
    }
  };

  // The names of steps in bars that have room for them.
  const labels = (context, record, state, layout, band) => {
    const { issue, end } = record.table('instructions');
    context.font = SMALL;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    let written = 0;
    for (const row of record.rowsOfArray(band.array)) {
      if (written === MOST_NAMES) break;
      if (end[row] < state.from || issue[row] > state.to) continue;
      const [x0, x1] = [Math.max(layout.x(issue[row]), layout.left), Math.min(layout.x(end[row]), layout.right)];
      const text = record.step(row);
      if (x1 - x0 < 24 || x1 - x0 < context.measureText(text).width + 6) continue;
      context.fillStyle = Senn.theme.over(Senn.theme.rgb(record.colour(row)));
      context.fillText(text, x0 + 3, band.control + 9.5);
      written += 1;
    }
  };

  // A thin line where a bar begins, so that neighbours of one colour can be told apart: only in bars so wide
  // that it takes nothing from what they tell.
  const seams = (context, record, state, layout, band) => {
    const wide = (start, end) => start > state.from && start < state.to && (end - start) * layout.scale >= WIDE;
    context.fillStyle = Senn.theme.css('paper', 0.7);
    const line = (start, y0, y1) => context.fillRect(layout.x(start) - 0.5, y0, 1, y1 - y0);
    const { issue, end: finish } = record.table('instructions');
    for (const row of record.rowsOfArray(band.array)) {
      if (!wide(issue[row], finish[row])) continue;
      line(issue[row], band.control, band.control + layout.controlHeight);
    }
    if (!layout.fine) return;
    const { array, what, start, end, low, high } = record.table('bars');
    for (let k = 0; k < array.length; k += 1) {
      if (array[k] !== band.array || !wide(start[k], end[k])) continue;
      const last = Math.min(high[k], Math.ceil(state.high) - 1);
      for (let node = Math.max(low[k], Math.floor(state.low)); node <= last; node += 1) {
        const edges = layout.edges(what[k] >= Senn.bands.SEND && what[k], node, node);
        const [y0, y1] = edges.map((y) => band.nodes + Math.min(Math.max(y, 0), band.height));
        line(start[k], y0, y1);
      }
    }
  };

  // Messages from the DMA that sends them to the engine that they reach, from their grant to their arrival.
  const arrows = (context, record, messages, state, layout) => {
    const { source_array, source_node, target_array, target_node, granted, arrived } = record.table('messages');
    const bandOf = new Map(layout.bands.map((band) => [band.array, band]));
    const middle = (array, node, isDma) => {
      const [y0, y1] = layout.edges(isDma, node, node);
      return bandOf.get(array).nodes + (y0 + y1) / 2;
    };
    const seen = Array.from(messages).filter((m) => arrived[m] >= state.from && granted[m] <= state.to);
    const every = Math.ceil(seen.length / MOST_ARROWS);
    context.strokeStyle = Senn.theme.css('ink', seen.length > 60 ? 0.45 : 0.85);
    context.fillStyle = context.strokeStyle;
    context.lineWidth = 1;
    let drawn = 0;
    for (let k = 0; k < seen.length; k += every) {
      const message = seen[k];
      const [x0, x1] = [layout.x(granted[message]), layout.x(arrived[message])];
      const y0 = middle(source_array[message], source_node[message], true);
      const y1 = middle(target_array[message], target_node[message], false);
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
      context.beginPath();
      context.arc(x1, y1, 2.2, 0, 7);
      context.fill();
      drawn += 1;
    }
    return { there: seen.length, drawn };
  };

  // A frame about cycles from..to at a height, also about what is thinner than a pixel.
  const frame = (context, layout, from, to, y0, y1) => {
    const [x0, x1] = [layout.x(from), layout.x(to)];
    context.strokeStyle = Senn.theme.css('focus');
    context.lineWidth = 2;
    context.strokeRect(x0 - 2, y0 - 2, Math.max(x1 - x0, 1) + 4, y1 - y0 + 4);
  };

  // Everything from one cycle to another.
  const range = (context, layout, from, to) => {
    const [x0, x1] = [layout.x(from), layout.x(to)];
    context.fillStyle = Senn.theme.css('focus', 0.1);
    context.fillRect(x0, 0, Math.max(x1 - x0, 1), layout.height);
  };

  const cursor = (context, state, layout) => {
    const x = layout.x(state.cycle);
    if (x < layout.left || x > layout.right) return;
    context.fillStyle = Senn.theme.css('focus');
    context.fillRect(x - 0.75, 17, 1.5, layout.height - 17);
  };

  return { names, spans, parts, labels, seams, arrows, frame, range, cursor, MOST_ARROWS };
})();
