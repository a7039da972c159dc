// The page begins: unpack the columns, open what the page has, and say that it is ready.
Senn.start = async () => {
  const read = (id) => JSON.parse(Senn.find(id).textContent);
  const facts = read('facts');
  Senn.theme.wire(Senn.find('theme'));
  if (!Senn.find('timeline')) return;
  const column = await Senn.packed.open(read('columns'));
  const record = Senn.record.open(column, facts);
  const view = Senn.view.open(facts);
  const timeline = Senn.timeline.open(Senn.find('timeline'), Senn.find('drawn'), record, facts, view);
  Senn.painted = performance.now();
  const pick = Senn.picking.open(timeline, record, view);
  Senn.gestures.wire(Senn.find('timeline'), timeline, view, pick);
  Senn.detail.open(Senn.find('detail'), record, facts, view, pick);
  const buttons = { next: Senn.find('next'), previous: Senn.find('previous') };
  const search = Senn.search.open(Senn.find('search'), Senn.find('found'), buttons, record, facts, view, pick);
  const press = (id, act) => Senn.find(id).addEventListener('click', act);
  press('closer', () => view.zoom(0.5));
  press('wider', () => view.zoom(2));
  press('whole', () => view.fit());
  Senn.page = { facts, record, view, timeline, pick, search };
};

Senn.start().then(
  () => document.documentElement.setAttribute('data-ready', ''),
  (error) => {
    const text = `This part of the page cannot be shown: ${error.message}`;
    document.body.prepend(Senn.make('p', { role: 'alert', class: 'alert' }, text));
    throw error;
  },
);
