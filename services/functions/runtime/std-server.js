/** `serve` of the standard library of old, which most examples import by its address. */
export function serve(handler, { onError, onListen } = {}) {
  return Deno.serve({ onError, onListen }, handler).finished
}
