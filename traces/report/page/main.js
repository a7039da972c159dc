// The page begins: unpack the columns, open what the page has, and say that it is ready.
Senn.start = async () => {
  const read = (id) => JSON.parse(Senn.find(id).textContent);
  const facts = read('facts');
  Senn.theme.wire(Senn.find('theme'));
  if (!Senn.find('timeline')) return;
  const { column, words } = await Senn.packed.open(read('columns'));
  const record = Senn.record.open(column, words, facts);
  const view = Senn.view.open(facts);
  const timeline = Senn.timeline.open(Senn.find('timeline'), Senn.find('drawn'), record, facts, view);
  Senn.painted = performance.now();
  const pick = Senn.picking.open(timeline, record, view);
  Senn.gestures.wire(Senn.find('timeline'), timeline, view, pick);
  Senn.detail.open(Senn.find('detail'), record, facts, view, pick);
  const search = Senn.search.open(Senn.find('search'), Senn.find('found'), record, facts, view, pick);
  const press = (id, act) => Senn.find(id).addEventListener('click', act);
  press('next', () => search.go(1));
  press('previous', () => search.go(-1));
  press('closer', () => view.zoom(0.5));
  press('wider', () => view.zoom(2));
  press('whole', () => view.fit());
  Senn.outside.open(record, view, search);
  Senn.page = { facts, record, view, timeline, pick, search };
  Senn.others(Senn.page);
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
