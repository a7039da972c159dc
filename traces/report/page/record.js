// The tables of the trace, and the way from a row of one to the rows of another.
Senn.record = (() => {
  // Rows by a whole number: those of key k are order[start[k]] .. order[start[k + 1] - 1], as they came.
  const grouped = (keys, size) => {
    const start = new Int32Array(size + 1);
    for (let row = 0; row < keys.length; row += 1) start[keys[row] + 1] += 1;
    for (let key = 0; key < size; key += 1) start[key + 1] += start[key];
    const next = start.slice();
    const order = new Int32Array(keys.length);
    for (let row = 0; row < keys.length; row += 1) order[next[keys[row]]++] = row;
    return (key) => (key >= 0 && key < size ? order.subarray(start[key], start[key + 1]) : new Int32Array(0));
  };

  const once = (make) => {
    let made;
    return () => (made ??= make());
  };

  const open = (column, words, facts) => {
    const word = (name, row) => words[name][column(name)[row]];
    // The columns of a table by their names: `const { start, end } = record.table('hops')`.
    const table = (name) => new Proxy({}, { get: (_, key) => column(`${name}.${key}`) });
    const count = column('instructions.array').length;

    // The row of an instruction from its array and serial: serials count from 0 without a gap.
    const firsts = new Map();
    column('instructions.array').forEach((array, row) => {
      if (!firsts.has(array)) firsts.set(array, row);
    });
    const rowOf = (array, serial) => (serial < 0 ? -1 : firsts.get(array) + serial);

    const instructionOf = (arrays, serials) =>
      Int32Array.from(column(serials), (serial, row) => rowOf(column(arrays)[row], serial));
    const lane = (array, node) => array * facts.nodes + node;
    const lanes = (arrays, nodes) =>
      Int32Array.from(column(nodes), (node, row) => lane(column(arrays)[row], node));
    const laneCount = (1 + Math.max(0, ...facts.arrays)) * facts.nodes;

    const ofArray = once(() => grouped(column('instructions.array'), 1 + Math.max(0, ...facts.arrays)));
    const sender = once(() => instructionOf('messages.source_array', 'messages.instruction'));
    const reader = once(() => instructionOf('messages.target_array', 'messages.read_by'));
    const sent = once(() => grouped(sender(), count));
    const read = once(() => grouped(reader(), count));
    const worked = once(() => grouped(lanes('activities.array', 'activities.node'), laneCount));
    // What a channel is, of a hop: "source_array", "kind".
    const ofHop = (hop, name) => column(`channels.${name}`)[column('crossed.channel')[hop]];
    const hopped = once(() => {
      const { source_array: array, source_node: node } = table('channels');
      const from = Int32Array.from(column('crossed.channel'), (channel) => lane(array[channel], node[channel]));
      return grouped(from, laneCount);
    });
    // When a message comes to the node of a hop, and when it leaves it.
    const stays = once(() => {
      const [begin, left] = [0, 1].map(() => Float64Array.from(column('hops.start')));
      const { hop, start, end } = table('flights');
      for (let k = 0; k < hop.length; k += 1) {
        begin[hop[k]] = Math.min(begin[hop[k]], start[k]);
        left[hop[k]] = Math.max(left[hop[k]], end[k]);
      }
      return { begin, left };
    });
    const hops = once(() => grouped(column('hops.message'), column('messages.words').length));

    const steps = words['instructions.step'] ?? [];
    const stepAt = Array.from(column('instructions.step'), (code) => steps[code]);

    return {
      column,
      table,
      word,
      words: (name) => words[name] ?? [],
      ofHop,
      count,
      steps,
      rowOf,
      rowsOfArray: (array) => ofArray()(array),
      step: (row) => stepAt[row],
      named: (row) => {
        const level = column('instructions.level')[row];
        return `${stepAt[row]}${level < 0 ? '' : ` level ${level}`}`;
      },
      // The name of the colour of an instruction's part, and the part, "II.b" or "III".
      colour: (row) => `part-${facts.parts[stepAt[row].split('.')[0]] ?? ''}`.replace(/^part-$/, 'other'),
      part: (row) => /^[^.]+(\.\p{L}+(?=\.|$))?/u.exec(stepAt[row])?.[0] ?? stepAt[row],
      senderOf: (message) => sender()[message],
      readerOf: (message) => reader()[message],
      messagesSentBy: (row) => sent()(row),
      messagesReadBy: (row) => read()(row),
      activitiesAt: (array, node) => worked()(lane(array, node)),
      hopsFrom: (array, node) => hopped()(lane(array, node)),
      stays,
      hopsOf: (message) => hops()(message),
    };
  };

  // "D_3^0": a value by its letter, its level, and the process that wrote it.
  const valueText = (record, message) => {
    const { level, process, value } = record.table('messages');
    const parts = record.words('messages.value')[value[message]].split(' + ');
    const index = /(?<![A-Za-z])i([+-]\d+)?(?![A-Za-z])/g;
    const text = (part) => {
      const [letter, own] = parts.length > 1 ? part.split('^') : [part];
      const named = letter.replace(index, (_, shift = 0) => process[message] + Number(shift));
      const subscript = named === letter ? `_${process[message]}` : '';
      return `${named}${subscript}${!own && level[message] < 0 ? '' : `^${own ?? level[message]}`}`;
    };
    return parts.map(text).join(' + ');
  };

  // The numbers that a message carried, in rows, as texts of four digits; null where they were not kept.
  const numbersOf = (record, message) => {
    const { first, row: rows } = record.table('carried');
    if (!first.length) return null;
    const { digits, power } = record.table('numbers');
    const text = (k) => {
      if (power[k] === 999) return ['-inf', 'nan', 'inf'][digits[k] + 1];
      const number = Number(`${digits[k]}e${power[k]}`);
      const plain = number === 0 || (Math.abs(number) >= 1e-3 && Math.abs(number) < 1e5);
      return plain ? `${Number(number.toPrecision(4))}` : number.toExponential(3);
    };
    const found = [];
    for (let k = first[message]; k < first[message + 1]; k += rows[message]) {
      found.push(Array.from({ length: rows[message] }, (_, column) => text(k + column)));
    }
    return found;
  };

  return { open, valueText, numbersOf };
})();
