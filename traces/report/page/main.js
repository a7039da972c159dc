// The page begins: unpack the columns, open what the page has, and say that it is ready.
Senn.start = async () => {
  const { find } = Senn;
  const read = (id) => JSON.parse(find(id).textContent);
  const facts = read('facts');
  Senn.theme.wire(find('theme'));
  if (!['timeline', 'network', 'strip', 'pairs'].some(find)) return;
  const columns = Senn.packed.joined();
  columns.add(await Senn.packed.open(read('columns')));
  const record = Senn.record.open(columns.column, columns.words, facts);
  const view = Senn.view.open(facts);
  const timeline = find('timeline') && Senn.timeline.open(find('timeline'), find('drawn'), record, facts, view);
  Senn.painted = performance.now();
  // The first picture is on the screen; all else needs what the second pack has.
  columns.add(await Senn.packed.open(read('more')));
  const pick = Senn.picking.open(timeline, record, view);
  Senn.page = { facts, record, view, timeline, pick };
  if (timeline) Senn.around(Senn.page);
  Senn.others(Senn.page);
};

// What belongs to the timeline: mouse and keys, what is chosen, the search, and who listens from outside.
Senn.around = ({ facts, record, view, timeline, pick }) => {
  const { find } = Senn;
  Senn.gestures.wire(find('timeline'), timeline, view, pick);
  Senn.detail.open(find('detail'), record, facts, view, pick);
  const search = Senn.search.open(find('search'), find('found'), record, facts, view, pick);
  const press = (id, act) => find(id).addEventListener('click', act);
  press('next', () => search.go(1));
  press('previous', () => search.go(-1));
  press('closer', () => view.zoom(0.5));
  press('wider', () => view.zoom(2));
  press('whole', () => view.fit());
  Senn.outside.open(record, view, search);
  Senn.page.search = search;
};

// What stands below the timeline, as far as the page has it, after the first picture is on the screen.
Senn.others = ({ facts, record, view, pick }) => {
  const { find } = Senn;
  if (find('listing')) Senn.listing.open(find('listing'), record, view, pick);
  if (find('network')) {
    const machine = Senn.machine.open(find('network'), record, facts, view);
    const matrix = find('matrix') && Senn.matrix.open(find('matrix'), find('matrix-now'), record, facts, view);
    Senn.page.replay = Senn.replay.open({ machine, matrix }, record, facts, view);
  }
  if (find('strip')) Senn.page.strip = Senn.strip.open(find('strip'), record, facts, view, pick);
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
