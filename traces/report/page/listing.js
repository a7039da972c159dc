// The program as it is printed, beside its run: a line leads to its instruction, an instruction to its line.
Senn.listing = (() => {
  const open = (box, record, view, pick) => {
    const { row: rows } = record.table('listing');
    const texts = record.words('listing.text');
    const lineOf = new Map(); // row of an instruction -> its first line
    let at = -1;

    const lines = Array.from(record.column('listing.text'), (code, k) => {
      const row = rows[k];
      if (row < 0) return Senn.make('div', { role: 'presentation' }, `${texts[code]}\n`);
      const line = Senn.make('div', { role: 'option', 'aria-selected': 'false', id: `${box.id}-${k}` }, texts[code]);
      line.dataset.row = row;
      if (!lineOf.has(row)) lineOf.set(row, k);
      return line;
    });
    box.append(...lines);

    const choose = (row) => {
      const chosen = { kind: 'instruction', row };
      pick.choose(chosen);
      const messages = Array.from(record.messagesSentBy(row));
      const arrived = messages.map((message) => record.column('messages.arrived')[message]);
      const [a, b] = pick.span(chosen);
      view.show(a, Math.max(b, ...arrived.slice(0, 10000)));
    };

    box.addEventListener('click', (event) => {
      const row = event.target.closest('[role=option]')?.dataset.row;
      if (row !== undefined) choose(Number(row));
    });

    // Along the lines that are instructions.
    box.addEventListener('keydown', (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      let k = at + by;
      while (k >= 0 && k < lines.length && rows[k] < 0) k += by;
      if (k >= 0 && k < lines.length) choose(rows[k]);
    });

    const mark = () => {
      const row = pick.instructionOf(view.state.chosen);
      lines[at]?.setAttribute('aria-selected', 'false');
      box.querySelector('.reads')?.classList.remove('reads');
      at = lineOf.get(row) ?? -1;
      if (at < 0) return box.removeAttribute('aria-activedescendant');
      lines[at].setAttribute('aria-selected', 'true');
      box.setAttribute('aria-activedescendant', lines[at].id);
      if (view.state.chosen.kind === 'message') {
        lines[lineOf.get(record.readerOf(view.state.chosen.row))]?.classList.add('reads');
      }
      const [top, room] = [lines[at].offsetTop, box.clientHeight];
      if (top < box.scrollTop || top > box.scrollTop + room - 30) box.scrollTop = top - room / 2;
    };
    view.on((state, changes) => {
      if ('chosen' in changes) mark();
    });
  };

  return { open };
})();
