// Columns of whole numbers as Python packed them (packing.py): unpacked one by one, when first asked for.
Senn.packed = (() => {
  const bytesOf = (base64) => {
    const coded = atob(base64);
    const bytes = new Uint8Array(coded.length);
    for (let i = 0; i < coded.length; i += 1) bytes[i] = coded.charCodeAt(i);
    return bytes;
  };

  const inflated = async (bytes) => {
    if (typeof DecompressionStream === 'undefined') {
      throw new Error('this browser cannot unpack the trace; open the page in one of 2023 or later');
    }
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  // Varints with the sign in the lowest bit, differenced `coding` times.
  const decoded = (bytes, begin, length, coding, wide) => {
    const column = wide ? new Float64Array(length) : new Int32Array(length);
    let at = begin;
    let [value, slope] = [0, 0];
    for (let row = 0; row < length; row += 1) {
      let byte = bytes[at++];
      let number = byte & 127;
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[at++];
        number += (byte & 127) * scale;
      }
      number = number % 2 ? -(number + 1) / 2 : number / 2;
      if (coding === 0) value = number;
      else if (coding === 1) value += number;
      else value += slope += number;
      column[row] = value;
    }
    return column;
  };

  // { column: name => column or undefined, words: name => texts }.
  const open = async ({ rows, text }) => {
    const bytes = await inflated(bytesOf(text));
    const places = new Map();
    let begin = 0;
    for (const [name, length, coding, size, wide] of rows) {
      places.set(name, { begin, length, coding, wide });
      begin += size;
    }
    const ready = new Map();
    const words = JSON.parse(new TextDecoder().decode(bytes.subarray(begin)));
    const column = (name) => {
      if (!places.has(name)) return undefined;
      if (!ready.has(name)) {
        const place = places.get(name);
        ready.set(name, decoded(bytes, place.begin, place.length, place.coding, place.wide));
      }
      return ready.get(name);
    };
    return { column, words };
  };

  // Packs as one, in whatever order they come; a column that none of them has is empty.
  const joined = () => {
    const packs = [];
    const words = {};
    const none = new Int32Array(0);
    const column = (name) => {
      for (const pack of packs) {
        const found = pack.column(name);
        if (found) return found;
      }
      return none;
    };
    const add = (pack) => {
      packs.push(pack);
      Object.assign(words, pack.words);
    };
    return { add, column, words };
  };

  return { open, joined };
})();
