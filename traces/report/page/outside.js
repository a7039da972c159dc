// A page inside another one, as in a notebook: it says what is chosen in it, and looks for what it is asked for.
Senn.outside = (() => {
  const open = (record, view, search) => {
    if (window.parent === window) return;
    const tell = () => {
      const { chosen, cycle } = view.state;
      window.parent.postMessage({ senn: { chosen: Senn.names.of(record, chosen), cycle: Math.round(cycle) } }, '*');
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
