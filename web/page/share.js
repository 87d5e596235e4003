// A program in a link, and as a file. A link is page#p=…: the text (and the inputs, where some
// were given) as JSON, deflated, in base64url. What a link unpacks to is bounded, and a link that
// is not one of ours is an error, never a program.
const MOST = 4 << 20; // bytes that a link may unpack to

const toBase64 = (bytes) => {
  let binary = '';
  for (let i = 0; i < bytes.length; i += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
};
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));

async function through(bytes, transform, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const pieces = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    if ((length += value.length) > most) {
      reader.cancel();
      throw new Error('the program in it is too long');
    }
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/* program: { text, inputs } */
export async function encode({ text, inputs = [] }) {
  const json = JSON.stringify(inputs.length ? { text, inputs } : { text });
  const packed = await through(
    new TextEncoder().encode(json),
    new CompressionStream('deflate-raw'),
  );
  return `#p=${toBase64(packed)}`;
}

/* null: there is no program in the hash. */
export async function decode(hash) {
  if (!hash.startsWith('#p=')) return null;
  const bytes = await through(
    fromBase64(hash.slice(3)),
    new DecompressionStream('deflate-raw'),
    MOST,
  );
  const { text, inputs } = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof text !== 'string') throw new Error('there is no program in it');
  const fit = (i) =>
    ['param', 'buffer'].includes(i?.kind) && Number.isInteger(i.slot) && typeof i.text === 'string';
  return { text, inputs: Array.isArray(inputs) ? inputs.filter(fit) : [] };
}

export function download(name, type, content) {
  const url = URL.createObjectURL(
    content instanceof Blob ? content : new Blob([content], { type }),
  );
  const a = document.createElement('a');
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* Graphviz's SVG as a PNG, twice as large, but no larger than browsers draw. */
export async function png(svgText) {
  const url = URL.createObjectURL(new Blob([svgText], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const most = 8192 / Math.max(image.width, image.height);
    const scale = Math.min(2, most);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(image.width * scale));
    canvas.height = Math.max(1, Math.round(image.height * scale));
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}
