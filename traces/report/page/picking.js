// What stands under a point, and what comes before and after it.
Senn.picking = (() => {
  const NEAR = 4; // pixels within which a thin bar is meant

  const open = (timeline, record, facts, view) => {
    const { column } = record;

    // Of rows with start and end, the one that holds the cycle, or the nearest within a few pixels.
    const nearest = (rows, start, end, cycle) => {
      const reach = NEAR / timeline.layout().scale;
      let [best, least] = [-1, reach];
      for (const row of rows) {
        const off = Math.max(start[row] - cycle, cycle - end[row], 0);
        const inside = start[row] <= cycle && cycle < end[row];
        if (inside) return row;
        if (off <= least) [best, least] = [row, off];
      }
      return best;
    };

    // The stall at a place, as a row of the waits, or -1.
    const stallAt = ({ array, lane, node, cycle }) => {
      const { array: arrays, low, high, start, end } = record.table('waits');
      const here = (row) => lane === 'control' || low[row] < 0 || (low[row] <= node && node <= high[row]);
      const holds = (at, row) => arrays[row] === array && at <= cycle && cycle < end[row] && here(row);
      return lane === 'dma' ? -1 : start.findIndex(holds);
    };

    const found = (place) => {
      if (place.lane === 'control') {
        const { issue, end } = record.table('instructions');
        const row = nearest(record.rowsOfArray(place.array), issue, end, place.cycle);
        return row < 0 ? null : { kind: 'instruction', row };
      }
      if (place.lane === 'dma') {
        const rows = record.hopsFrom(place.array, place.node);
        const row = nearest(rows, record.stays().begin, record.stays().left, place.cycle);
        return row < 0 ? null : { kind: 'message', row: column('hops.message')[row] };
      }
      const rows = record.activitiesAt(place.array, place.node);
      const row = nearest(rows, column('activities.start'), column('activities.end'), place.cycle);
      return row < 0 ? null : { kind: 'activity', row };
    };

    const at = (x, y) => {
      const place = timeline.layout().at(x, y);
      if (!place) return;
      view.set({ chosen: found(place), cycle: Math.floor(place.cycle) });
    };

    // The instruction that goes with what is chosen, or -1.
    const instructionOf = (chosen) => {
      if (!chosen || chosen.kind === 'range') return -1;
      if (chosen.kind === 'instruction') return chosen.row;
      if (chosen.kind === 'message') return record.senderOf(chosen.row);
      return record.rowOf(column('activities.array')[chosen.row], column('activities.instruction')[chosen.row]);
    };

    const choose = (chosen) => {
      const [a, b] = span(chosen);
      const outside = a < view.state.from || b > view.state.to;
      view.set({ chosen, cycle: a });
      if (outside) view.show(a, b);
    };

    // A place and what stands there, in three lines.
    const text = (place) => {
      const lane = { control: 'control unit', engine: 'engine', dma: 'DMA' }[place.lane];
      const node = place.node < 0 ? '' : `, node ${place.node}`;
      const cycle = Senn.axis.beside(facts, Math.floor(place.cycle));
      const where = `cycle ${cycle}, array ${place.array}${node}, ${lane}`;
      const stall = stallAt(place);
      if (stall >= 0) {
        const [row, begin, end] = ['row', 'start', 'end'].map((name) => column(`waits.${name}`)[stall]);
        return [where, `stalled before ${record.named(row)}`, cycles(begin, end)].join('\n');
      }
      const chosen = found(place);
      return chosen ? [where, named(chosen), cycles(...span(chosen))].join('\n') : where;
    };

    const cycles = (a, b) => {
      const [from, to, many] = [a, b, b - a].map((number) => Senn.axis.beside(facts, number));
      return `${from} to ${to}: ${many} cycle${b - a === 1 ? '' : 's'}`;
    };

    // What is chosen, in a few words.
    const named = ({ kind, row, from, to }) => {
      if (kind === 'range') return `cycles ${cycles(from, to)}`;
      if (kind === 'instruction') return record.named(row);
      if (kind === 'activity') {
        return `${record.word('activities.class', row)} of ${record.named(instructionOf({ kind, row }))}`;
      }
      const [array, node] = ['array', 'node'].map((name) => column(`messages.target_${name}`)[row]);
      return `message ${row}: ${Senn.record.valueText(record, row)} to ${array}:${node}`;
    };

    const zoom = () => {
      if (!view.state.chosen) return;
      const [a, b] = span(view.state.chosen);
      const room = 0.05 * (b - a);
      view.cycles(a - room, b + room);
    };

    const span = ({ kind, row, from, to }) => {
      if (kind === 'range') return [from, to];
      const names = { instruction: ['issue', 'end'], activity: ['start', 'end'], message: ['posted', 'arrived'] };
      const table = { instruction: 'instructions', activity: 'activities', message: 'messages' }[kind];
      return names[kind].map((name) => column(`${table}.${name}`)[row]);
    };

    // The next instruction of the same array, or the one before it.
    const instruction = (by) => {
      const row = instructionOf(view.state.chosen);
      const next = row < 0 ? 0 : Math.min(Math.max(row + by, 0), record.count - 1);
      if (record.count) choose({ kind: 'instruction', row: next });
    };

    // The messages of what is chosen, one after the other.
    const message = () => {
      const row = instructionOf(view.state.chosen);
      if (row < 0) return;
      const all = Array.from(record.messagesSentBy(row));
      const { chosen } = view.state;
      const here = chosen.kind === 'message' ? all.indexOf(chosen.row) : -1;
      if (all.length) choose({ kind: 'message', row: all[(here + 1) % all.length] });
    };

    return { at, choose, zoom, text, named, cycles, instruction, message, instructionOf, span };
  };

  return { open };
})();
