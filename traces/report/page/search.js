// Finding a step, a message, a cycle or a node by what is typed.
Senn.search = (() => {
  // "I.b" has I.b.5 and I.b' below it, and not I.bc.
  const belongs = (label, step) =>
    label === step || label.startsWith(`${step}.`) || label.startsWith(`${step}'`);

  const rowsOf = (record, step) => {
    const found = [];
    for (let row = 0; row < record.count; row += 1) if (belongs(record.step(row), step)) found.push(row);
    return found;
  };

  const open = (input, note, record, facts, view, pick) => {
    input.list.append(...record.steps.map((step) => Senn.make('option', { value: step })));
    let [rows, at] = [[], -1];

    const say = (text) => {
      note.textContent = text;
    };

    const go = (by) => {
      if (!rows.length) return;
      at = (at + by + rows.length) % rows.length;
      const row = rows[at];
      pick.choose({ kind: 'instruction', row });
      const [a, b] = pick.span({ kind: 'instruction', row });
      view.show(a, b);
      say(`${at + 1} of ${rows.length}`);
    };

    const step = (text) => {
      rows = rowsOf(record, text);
      if (!rows.length) return false;
      view.set({ step: text, chosen: null });
      const { issue, end } = record.table('instructions');
      if (!rows.some((row) => issue[row] < view.state.to && end[row] > view.state.from)) view.fit();
      const cycles = rows.reduce((sum, row) => sum + end[row] - issue[row], 0);
      say(`${rows.length} instruction${rows.length === 1 ? '' : 's'}, ${Senn.axis.beside(facts, cycles)} cycles`);
      return true;
    };

    const message = (number) => {
      if (number >= record.column('messages.words').length) return false;
      pick.choose({ kind: 'message', row: number });
      const [a, b] = pick.span({ kind: 'message', row: number });
      view.show(a, b);
      return true;
    };

    const cycle = (number) => {
      if (number > facts.last) return false;
      const room = (view.state.to - view.state.from) / 2;
      view.set({ cycle: number });
      view.cycles(number - room, number + room);
      return true;
    };

    const node = (number) => {
      if (number >= facts.nodes) return false;
      view.nodes(number - 4, number + 5);
      return true;
    };

    const cycles = (from, to) => {
      if (!(from < to && to <= facts.last)) return false;
      pick.choose({ kind: 'range', from, to });
      return true;
    };

    const find = () => {
      const text = input.value.trim();
      const asked = /^(message|cycles?|node)\s+(?:\d+:)?([\d,]+)(?: to ([\d,]+))?$/i.exec(text);
      const numbers = asked?.slice(2).map((part) => Number(part?.replaceAll(',', '')));
      [rows, at] = [[], -1]; // nothing is left of the search before, and what is typed next replaces this one
      view.set({ step: null });
      say('');
      input.select();
      if (text && (asked ? !{ message, cycle, cycles, node }[asked[1].toLowerCase()](...numbers) : !step(text))) {
        say(`nothing here is called ${text}`);
      }
    };

    input.addEventListener('change', find);
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && rows.length && view.state.step === input.value.trim()) go(event.shiftKey ? -1 : 1);
      else if (event.key === 'Enter') find();
      else if (event.key === 'Escape') {
        input.value = '';
        find();
      }
    });
    const ask = (text) => {
      input.value = text;
      find();
    };
    return { go, ask };
  };

  return { open, belongs, rowsOf };
})();
