// The cycles of a range that engines and DMAs are busy and control units stalled, for each step and each node.
Senn.sums = (() => {
  const COLUMNS = ['compute', 'post', 'receive', 'sending', 'start-up', 'queue', 'stalled']; // as bars are numbered
  const STALLED = 6;

  // -> { step, node }, each a table: a head, a row for everything that has a cycle in [from, to), and all together.
  const tables = (record, facts, from, to) => {
    const sums = { step: new Map(), node: new Map() };
    const add = (by, key, what, cycles) => {
      if (!sums[by].has(key)) sums[by].set(key, COLUMNS.map(() => 0));
      sums[by].get(key)[what] += cycles;
    };

    const count = ({ array, row, start, end, low, high }, what) => {
      for (let k = 0; k < array.length; k += 1) {
        const cycles = Math.min(end[k], to) - Math.max(start[k], from);
        if (cycles <= 0) continue;
        const [first, last] = low[k] < 0 ? [0, facts.nodes - 1] : [low[k], high[k]];
        add('step', record.step(row[k]), what(k), cycles * (last - first + 1));
        for (let node = first; node <= last; node += 1) add('node', array[k] * facts.nodes + node, what(k), cycles);
      }
    };
    const { what } = record.table('bars');
    count(record.table('bars'), (k) => what[k]);
    count(record.table('waits'), () => STALLED);

    const time = (cycles) => Senn.axis.beside(facts, cycles);
    const place = (lane) => `${Math.floor(lane / facts.nodes)}:${lane % facts.nodes}`;
    const table = (by, entries, named) => {
      const whole = COLUMNS.map((_, what) => entries.reduce((sum, [, row]) => sum + row[what], 0));
      const lines = entries.map(([key, row]) => [named(key), ...row.map(time)]);
      return [[by, ...COLUMNS], [['together', ...whole.map(time)], ...lines]];
    };
    const inOrder = [...sums.node].sort(([a], [b]) => a - b);
    return { step: table('step', [...sums.step], (step) => step), node: table('node', inOrder, place) };
  };

  return { tables };
})();
