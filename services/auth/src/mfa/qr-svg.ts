import { encodeQR } from 'qr'

/** Quiet zone around a QR code in modules, as its standard requires. */
const BORDER = 4
const PIXELS_PER_MODULE = 3

/**
 * Renders text as a QR code. auth-js puts the SVG unescaped into a `data:` URL, so it must not contain `#` or `%`.
 */
export function drawQrSvg(text: string): string {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: BORDER })
  const modules = rows.length
  const pixels = modules * PIXELS_PER_MODULE
  const path = rows.flatMap((row, y) => runsOf(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${modules} ${modules}" shape-rendering="crispEdges">` +
    `<rect width="${modules}" height="${modules}" fill="white"/><path fill="black" d="${path.join('')}"/></svg>`
  )
}

/** Returns the dark runs of a row as start and length. */
function runsOf(row: readonly boolean[]): (readonly [number, number])[] {
  const runs: [number, number][] = []
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1)
    if (isDark && last && last[0] + last[1] === x) last[1] += 1
    else if (isDark) runs.push([x, 1])
  }
  return runs
}
