// What is chosen, in words and figures, with ways to what it belongs to.
Senn.detail = (() => {
  const MOST = 12; // messages named one by one

  const open = (panel, record, facts, view, pick) => {
    const { make, count } = Senn;
    const { column, word } = record;
    const time = (cycles) => Senn.axis.beside(facts, cycles);
    const get = (table, row) => (name) => column(`${table}.${name}`)[row];

    const link = (text, chosen) =>
      make('button', { type: 'button', class: 'link', click: () => pick.choose(chosen) }, text);
    const messageLink = (row) =>
      link(`message ${row} ${Senn.record.valueText(record, row)}`, { kind: 'message', row });
    const instructionLink = (row) => link(record.named(row), { kind: 'instruction', row });

    const lines = (pairs) =>
      make(
        'dl',
        {},
        ...pairs
          .filter(([, text]) => text !== null)
          .flatMap(([label, text]) => [make('dt', {}, label), make('dd', {}, ...[text].flat())]),
      );

    const several = (rows) => {
      if (!rows.length) return null;
      const shown = Array.from(rows.slice(0, MOST), messageLink).flatMap((one) => [one, ' ']);
      return rows.length > MOST ? [...shown, `and ${count(rows.length - MOST)} more`] : shown;
    };

    const waited = (row) => {
      const of = get('instructions', row);
      if (of('stall') < 0) return 'node by node: every node issues by itself';
      if (of('stall') === 0) return null;
      const parts = `dependency wait ${time(of('dependency_wait'))}, exposed stall ${time(of('exposed'))}`;
      const why = `${time(of('stall'))} cycles: ${parts}`;
      return facts.detail === 'full' && of('released_by') >= 0
        ? [`${why}, until `, messageLink(of('released_by')), ' arrived']
        : why;
    };

    const instruction = (row) => {
      const of = get('instructions', row);
      return [
        make('h3', {}, record.named(row)),
        lines([
          ['is', `${word('instructions.operation', row)}, instruction ${of('serial')} of array ${of('array')}`],
          ['when', pick.cycles(of('issue'), of('end'))],
          ['nodes', count(of('active'))],
          ['waited', waited(row)],
          ['sends', several(record.messagesSentBy(row))],
          ['reads', several(record.messagesReadBy(row))],
        ]),
      ];
    };

    const activity = (row) => {
      const of = get('activities', row);
      const by = record.rowOf(of('array'), of('instruction'));
      return [
        make('h3', {}, `array ${of('array')}, node ${of('node')}`),
        lines([
          ['does', [`${word('activities.class', row)} of `, instructionLink(by)]],
          ['for', of('process') < 0 ? 'several processes' : `process ${of('process')}`],
          ['when', pick.cycles(of('start'), of('end'))],
        ]),
        ...instruction(by).slice(1),
      ];
    };

    const hopRow = (hop) => {
      const of = get('hops', hop);
      const end = (side) => `${record.ofHop(hop, `${side}_array`)}:${record.ofHop(hop, `${side}_node`)}`;
      const kind = record.words('channels.kind')[record.ofHop(hop, 'kind')];
      const times = [of('start') - of('queued'), of('start'), of('end')];
      return [kind, end('source'), end('target'), ...times.map(time)];
    };

    const message = (row) => {
      const of = get('messages', row);
      const by = record.readerOf(row);
      const head = ['channel', 'from', 'to', 'queued', 'starts', 'ends'];
      const hops = Array.from(record.hopsOf(row), hopRow);
      const ends = (side) => {
        const [array, node, process] = ['array', 'node', 'process'].map((name) => of(`${side}_${name}`));
        return `array ${array} node ${node}, process ${process}`;
      };
      return [
        make('h3', {}, `message ${row}: ${Senn.record.valueText(record, row)}`),
        lines([
          ['sent by', instructionLink(record.senderOf(row))],
          ['from', ends('source')],
          ['to', ends('target')],
          ['words', count(of('words'))],
          ['posted', time(of('posted'))],
          ['arrived', `${time(of('arrived'))}, after ${time(of('arrived') - of('posted'))} cycles`],
          ['read', by < 0 ? null : [`${time(of('read_at'))} by `, instructionLink(by)]],
        ]),
        hops.length ? table(head, hops) : make('p', {}, 'It crosses no channel.'),
        ...numbers(row),
      ];
    };

    // What it carried; a symmetric matrix travels as its lower triangle, row by row.
    const numbers = (message) => {
      const rows = Senn.record.numbersOf(record, message);
      if (!rows) return [make('p', { class: 'quiet' }, 'What it carried was not kept; --values keeps it.')];
      const cells = rows.map((row) => make('tr', {}, ...row.map((text) => make('td', {}, text))));
      return [make('h3', {}, 'carries'), make('table', { class: 'numbers' }, make('tbody', {}, ...cells))];
    };

    const table = (head, rows) =>
      make(
        'table',
        {},
        make('thead', {}, make('tr', {}, ...head.map((text) => make('th', { scope: 'col' }, text)))),
        make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((text) => make('td', {}, text))))),
      );

    const range = (_, { from, to }) => {
      const { step, node } = Senn.sums.tables(record, facts, from, to);
      return [make('h3', {}, pick.named({ kind: 'range', from, to })), table(...step), table(...node)];
    };

    const nothing = () => [make('p', { class: 'quiet' }, 'Click a bar or an instruction, or search for a step.')];

    let shown;
    const show = () => {
      const { chosen } = view.state;
      if (chosen === shown) return;
      shown = chosen;
      const say = { instruction, activity, message, range }[chosen?.kind] ?? nothing;
      panel.replaceChildren(...say(chosen?.row, chosen));
    };
    view.on(show);
    show();
  };

  return { open };
})();
