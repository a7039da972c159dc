// The view as the end of the page's address, which restores it: "#from=120&to=480&chosen=message-12".
Senn.address = (() => {
  const NUMBERS = ['from', 'to', 'low', 'high', 'cycle'];
  const PAUSE = 200; // milliseconds without a change before it is written; browsers refuse to write often

  // A page inside another one has no address of its own.
  const open = (pages) => {
    if (window.parent !== window) return;
    pages.forEach(({ record, view, search }, k) => search && wire(k ? '-b' : '', record, view, search));
  };

  const wire = (suffix, record, view, search) => {
    const begin = { ...view.state };
    const given = () => new URLSearchParams(window.location.hash.slice(1));

    const write = () => {
      const { state } = view;
      const chosen = state.chosen && Object.values(Senn.names.of(record, state.chosen)).join('-');
      const all = given();
      for (const [name, value] of Object.entries({ ...state, chosen })) {
        if (value === begin[name]) all.delete(name + suffix);
        else all.set(name + suffix, value);
      }
      window.history.replaceState(null, '', `#${all}`);
    };

    const read = () => {
      const all = given();
      if (!Object.keys(begin).some((name) => all.has(name + suffix))) return;
      const number = (name) => {
        const value = parseFloat(all.get(name + suffix));
        return Number.isFinite(value) ? value : begin[name];
      };
      const [from, to, low, high, cycle] = NUMBERS.map(number);
      const [kind, ...keys] = (all.get(`chosen${suffix}`) ?? '').split('-');
      search.ask(all.get(`step${suffix}`) ?? '');
      const chosen = Senn.names.find(record, kind, keys.map(Number), cycle);
      view.set({ chosen, cycle: Math.min(Math.max(cycle, 0), begin.to), path: all.has(`path${suffix}`) });
      if (from < to) view.cycles(from, to);
      if (low < high) view.nodes(low, high);
    };

    let waiting;
    view.on(() => {
      clearTimeout(waiting);
      waiting = setTimeout(write, PAUSE);
    });
    window.addEventListener('hashchange', read);
    read();
  };

  return { open };
})();
