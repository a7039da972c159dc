// A page inside another one, as in a notebook: it says what is chosen in it, and looks for what it is asked for.
Senn.outside = (() => {
  // What is chosen, by the keys of the tables that a run keeps.
  const named = ({ column }, chosen) => {
    if (!chosen) return null;
    const { kind, row } = chosen;
    if (kind === 'message') return { kind, id: row };
    const of = (name) => column(`${kind === 'activity' ? 'activities' : 'instructions'}.${name}`)[row];
    if (kind === 'instruction') return { kind, array: of('array'), serial: of('serial') };
    return { kind, array: of('array'), instruction: of('instruction'), node: of('node') };
  };

  const open = (record, view, search) => {
    if (window.parent === window) return;
    const tell = () => {
      const { chosen, cycle } = view.state;
      window.parent.postMessage({ senn: { chosen: named(record, chosen), cycle: Math.round(cycle) } }, '*');
    };
    view.on((state, changes) => {
      if ('chosen' in changes || 'cycle' in changes) tell();
    });
    window.addEventListener('message', ({ source, data }) => {
      if (source === window.parent && typeof data?.senn?.find === 'string') search.ask(data.senn.find);
    });
    tell();
  };

  return { open };
})();
