// What is chosen, by the keys of the tables that a run keeps; and what is chosen from such keys.
Senn.names = (() => {
  const of = ({ column }, chosen) => {
    if (!chosen || chosen.kind === 'range') return chosen;
    const { kind, row } = chosen;
    if (kind === 'message') return { kind, id: row };
    const at = (name) => column(`${kind === 'activity' ? 'activities' : 'instructions'}.${name}`)[row];
    if (kind === 'instruction') return { kind, array: at('array'), serial: at('serial') };
    return { kind, array: at('array'), instruction: at('instruction'), node: at('node') };
  };

  // Of a node's activities for an instruction the one that holds the cycle; null where there is none.
  const find = (record, kind, [a, b, node], cycle) => {
    if (kind === 'range') return a < b ? { kind, from: a, to: b } : null;
    const { array, instruction, start, end } = record.table('activities');
    const rows = {
      message: () => (a in record.column('messages.words') ? [a] : []),
      instruction: () => [record.rowOf(a, b)].filter((row) => record.column('instructions.array')[row] === a),
      activity: () => {
        const all = record.activitiesAt(a, node).filter((row) => array[row] === a && instruction[row] === b);
        return [...all.filter((row) => start[row] <= cycle && cycle < end[row]), ...all];
      },
    };
    const [row] = rows[kind]?.() ?? [];
    return row === undefined ? null : { kind, row };
  };

  return { of, find };
})();
