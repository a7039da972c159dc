// Two runs look at the same time: a window of one is that of the other, by their clocks where these differ.
Senn.together = (pages) => {
  let telling = false;
  const tell = (page, changes) => {
    for (const other of pages.filter((one) => one !== page)) {
      const scale = page.facts.timed ? other.facts.clock / page.facts.clock : 1;
      const same = Object.entries(changes).flatMap(([name, value]) => {
        if (['from', 'to', 'cycle'].includes(name)) return [[name, value * scale]];
        return ['step', 'arrows', 'path'].includes(name) ? [[name, value]] : [];
      });
      if (same.length) other.view.set(Object.fromEntries(same));
    }
  };
  for (const page of pages) {
    page.view.on((state, changes) => {
      if (telling) return;
      telling = true;
      tell(page, changes);
      telling = false;
    });
  }
};
