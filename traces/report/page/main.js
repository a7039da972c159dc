// The page begins: unpack the columns of its runs, open what it has of each, and say that it is ready.
Senn.start = async () => {
  Senn.theme.wire(document.getElementById('theme'));
  Senn.pages = [];
  for (const suffix of ['', '-b']) {
    const find = (id) => document.getElementById(id + suffix);
    if (['timeline', 'network', 'strip', 'pairs'].some(find)) Senn.pages.push(await Senn.open(find));
  }
  [Senn.page] = Senn.pages;
  Senn.together(Senn.pages);
  Senn.address.open(Senn.pages);
};

// One run, whose elements `find` finds by their ids.
Senn.open = async (find) => {
  const read = (id) => JSON.parse(find(id).textContent);
  const facts = read('facts');
  const columns = Senn.packed.open();
  await columns.add(read('columns'));
  const record = Senn.record.open(columns.column, columns.words, facts);
  const view = Senn.view.open(facts);
  const timeline = find('timeline') && Senn.timeline.open(find('timeline'), find('drawn'), record, facts, view);
  // The first picture is on the screen; all else needs what the second pack has.
  await columns.add(read('more'));
  const pick = Senn.picking.open(timeline, record, facts, view);
  const path = Senn.path.open(timeline, record, facts, view, pick);
  const page = { find, facts, record, view, timeline, pick, path };
  if (timeline) Senn.around(page);
  Senn.others(page);
  return page;
};

// What belongs to the timeline: mouse and keys, what is chosen, the search, and who listens from outside.
Senn.around = (page) => {
  const { find, facts, record, view, timeline, pick, path } = page;
  Senn.gestures.wire(find('timeline'), timeline, facts, view, pick, path);
  Senn.detail.open(find('detail'), record, facts, view, pick);
  const search = Senn.search.open(find('search'), find('found'), record, facts, view, pick);
  const press = (id, act) => find(id).addEventListener('click', act);
  press('next', () => search.go(1));
  press('previous', () => search.go(-1));
  press('closer', () => view.zoom(0.5));
  press('wider', () => view.zoom(2));
  press('selection', () => pick.zoom());
  press('whole', () => view.fit());
  press('path', path.toggle);
  press('path-next', () => path.follow(1));
  press('path-previous', () => path.follow(-1));
  path.wire(find('path'), find('piece'));
  Senn.outside.open(record, view, search);
  page.search = search;
};

// What stands below the timeline, as far as the page has it, after the first picture is on the screen.
Senn.others = (page) => {
  const { find, facts, record, view, pick, path } = page;
  if (find('listing')) Senn.listing.open(find('listing'), record, view, pick);
  if (find('network')) {
    const machine = Senn.machine.open(find('network'), record, facts, view);
    const matrix = find('matrix') && Senn.matrix.open(find('matrix'), find('matrix-now'), record, facts, view);
    page.replay = Senn.replay.open(find, { machine, matrix }, record, facts, view);
  }
  if (find('strip')) page.strip = Senn.strip.open(find('strip'), record, facts, path);
  if (find('pairs')) Senn.pairs.open(find('pairs'), record, facts);
};

Senn.start().then(
  () => document.documentElement.setAttribute('data-ready', ''),
  (error) => {
    const text = `This part of the page cannot be shown: ${error.message}`;
    document.body.prepend(Senn.make('p', { role: 'alert', class: 'alert' }, text));
    throw error;
  },
);
