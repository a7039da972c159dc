// What stands under a point, and what comes before and after it.
Senn.picking = (() => {
  const NEAR = 4; // pixels within which a thin bar is meant

  const open = (timeline, record, view) => {
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

    const rowsOfArray = (array) => {
      const arrays = column('instructions.array');
      const found = [];
      for (let row = 0; row < arrays.length; row += 1) if (arrays[row] === array) found.push(row);
      return found;
    };

    const found = (place) => {
      if (place.lane === 'control') {
        const [issue, end] = [column('instructions.issue'), column('instructions.end')];
        const row = nearest(rowsOfArray(place.array), issue, end, place.cycle);
        return row < 0 ? null : { kind: 'instruction', row };
      }
      if (place.lane === 'dma') {
        const rows = record.hopsFrom(place.array, place.node);
        const row = nearest(rows, column('hops.start'), column('hops.end'), place.cycle);
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
      if (!chosen) return -1;
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

    const span = ({ kind, row }) => {
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

    return { at, choose, instruction, message, instructionOf, span };
  };

  return { open };
})();
