// What is looked at: which cycles, which nodes, what is chosen. Whoever shows a part of it listens.
Senn.view = (() => {
  const open = (facts) => {
    const whole = { from: 0, to: facts.span, low: 0, high: facts.nodes };
    const state = { ...whole, step: null, chosen: null, arrows: true, path: false, cycle: 0 };
    const listeners = [];

    const set = (changes) => {
      Object.assign(state, changes);
      listeners.forEach((tell) => tell(state, changes));
    };

    // A window of at least `least`, moved rather than cut at the ends.
    const within = (from, to, last, least) => {
      const size = Math.min(Math.max(to - from, least), last);
      const begin = Math.min(Math.max(from, 0), last - size);
      return [begin, begin + size];
    };

    const cycles = (from, to) => {
      const [a, b] = within(from, to, facts.span, Math.min(8, facts.span));
      set({ from: a, to: b });
    };

    const nodes = (low, high) => {
      const [a, b] = within(low, high, facts.nodes, Math.min(2, facts.nodes));
      set({ low: a, high: b });
    };

    // By a factor about a cycle (a node) that stays where it is.
    const zoom = (factor, about = (state.from + state.to) / 2) =>
      cycles(about - (about - state.from) * factor, about + (state.to - about) * factor);
    const zoomNodes = (factor, about = (state.low + state.high) / 2) =>
      nodes(about - (about - state.low) * factor, about + (state.high - about) * factor);
    const pan = (share) => {
      const by = share * (state.to - state.from);
      cycles(state.from + by, state.to + by);
    };
    const panNodes = (share) => {
      const by = share * (state.high - state.low);
      nodes(state.low + by, state.high + by);
    };

    // Something from a to b in the middle, with room on both sides.
    const show = (a, b) => {
      const room = Math.max(b - a, 20) * 1.5;
      cycles(a - room, b + room);
    };

    return {
      state,
      set,
      on: (tell) => listeners.push(tell),
      cycles,
      nodes,
      zoom,
      zoomNodes,
      pan,
      panNodes,
      show,
      fit: () => set(whole),
    };
  };

  return { open };
})();
