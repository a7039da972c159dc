// Columns of whole numbers as Python packed them (parts.py): unpacked one by one, when first asked for.
Senn.packed = (() => {
  const inflated = async (base64) => {
    if (typeof DecompressionStream === 'undefined') {
      throw new Error('this browser cannot unpack the trace; open the page in one of 2023 or later');
    }
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  // Of every number the lowest byte, then the next; the sign in the lowest bit; differenced `coding` times.
  const decoded = (bytes, begin, length, coding, size) => {
    const column = new Float64Array(length);
    let [value, slope] = [0, 0];
    for (let row = 0; row < length; row += 1) {
      let number = 0;
      for (let at = begin + size - length; at >= begin; at -= length) number = 256 * number + bytes[at + row];
      number = number % 2 ? -(number + 1) / 2 : number / 2;
      if (coding === 0) value = number;
      else if (coding === 1) value += number;
      else value += slope += number;
      column[row] = value;
    }
    return column;
  };

  // Packs as one, in whatever order they are added; a column that none of them has is empty.
  const open = () => {
    const [packed, ready, words, none] = [new Map(), new Map(), {}, new Float64Array(0)];
    const add = async ({ rows, text }) => {
      const bytes = await inflated(text);
      let end = 0;
      for (const [name, length, coding, size] of rows) {
        packed.set(name, [bytes, end, length, coding, size]);
        end += size;
      }
      Object.assign(words, JSON.parse(new TextDecoder().decode(bytes.subarray(end))));
    };
    const column = (name) => {
      if (packed.has(name) && !ready.has(name)) ready.set(name, decoded(...packed.get(name)));
      return ready.get(name) ?? none;
    };
    return { add, column, words };
  };

  return { open };
})();
