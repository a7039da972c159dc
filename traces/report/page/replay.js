// The run as one watches it: a cycle, chosen by hand or going on by itself, and what the machine does in it.
Senn.replay = (() => {
  const SECONDS = 40; // of a run from beginning to end

  const open = (find, parts, record, facts, view) => {
    const { count } = Senn;
    const [cycle, level, play] = [find('cycle'), find('level'), find('play')];
    cycle.max = facts.last;

    // Where the levels of the loops begin, in order of time.
    const levels = (() => {
      const name = (row) => record.named(row).replace(record.step(row), record.part(row));
      const spans = (array) => Senn.marks.spans(record, array, name).map((one) => ({ ...one, array }));
      const all = facts.arrays.flatMap(spans).sort((a, b) => a.from - b.from);
      return all.map((one) => ({ name: `array ${one.array}: ${one.name}`, at: one.from }));
    })();
    level.max = Math.max(levels.length - 1, 0);

    const doing = (array) => {
      const { issue, end } = record.table('instructions');
      const row = record.rowsOfArray(array).find((each) => end[each] > view.state.cycle);
      if (row === undefined) return `array ${array} has ended`;
      const name = record.named(row);
      if (facts.perNode) return `array ${array} is at ${name} or later`;
      if (issue[row] > view.state.cycle) return `array ${array} is stalled before ${name}`;
      const computes = record.word('instructions.operation', row) === 'compute';
      return `array ${array} ${computes ? 'computes' : 'posts'} ${name}`;
    };

    let asked = false;
    const draw = () => {
      asked = false;
      const now = view.state.cycle;
      const names = parts.machine.draw();
      parts.matrix?.draw();
      cycle.value = now;
      const at = Math.max(levels.findLastIndex((one) => one.at <= now), 0);
      level.value = at;
      find('cycle-now').textContent = `${Senn.axis.beside(facts, now)} of ${Senn.axis.beside(facts, facts.last)}`;
      find('level-now').textContent = levels[at]?.name ?? '';
      cycle.setAttribute('aria-valuetext', `cycle ${count(now)}`);
      level.setAttribute('aria-valuetext', levels[at]?.name ?? '');
      const some = (name) => `${count(names.filter((one) => one === name).length)} ${name}`;
      const named = [...new Set(names)].sort().map(some);
      const many = `${count(names.length)} message${names.length === 1 ? '' : 's'} in flight`;
      const sent = named.length ? `${many}: ${named.join(', ')}` : many;
      find('now').textContent = [...facts.arrays.map(doing), sent].join(' · ');
    };
    const ask = () => {
      if (!asked) requestAnimationFrame(draw);
      asked = true;
    };

    let before = null; // the time of the frame before, while it plays
    const step = (time) => {
      if (before === null) return;
      const next = view.state.cycle + ((time - before) / 1000 / SECONDS) * facts.last;
      before = time;
      view.set({ cycle: Math.min(next, facts.last) });
      if (next >= facts.last) stop();
      else requestAnimationFrame(step);
    };
    // While it plays nothing is read out: each picture would be.
    const say = (politeness) => find('now').setAttribute('aria-live', politeness);
    const stop = () => {
      before = null;
      say('polite');
      play.textContent = 'play';
      play.setAttribute('aria-pressed', 'false');
    };
    const start = () => {
      if (view.state.cycle >= facts.last) view.set({ cycle: 0 });
      before = performance.now();
      say('off');
      play.textContent = 'pause';
      play.setAttribute('aria-pressed', 'true');
      requestAnimationFrame(step);
    };

    play.addEventListener('click', () => (before === null ? start() : stop()));
    cycle.addEventListener('input', () => {
      stop();
      view.set({ cycle: Number(cycle.value) });
    });
    level.addEventListener('input', () => {
      stop();
      view.set({ cycle: levels[Number(level.value)].at });
    });
    view.on((state, changes) => {
      if ('cycle' in changes) ask();
    });
    const again = (now) => {
      parts.machine.again();
      if (now) draw();
      else ask();
    };
    Senn.theme.on(again);
    new ResizeObserver(() => again()).observe(find('network').parentElement);
    ask();
    return { levels, draw, machine: parts.machine };
  };

  return { open };
})();
