/**
 * An address for the SVG that the auth client hands out, for an `<img>`, where no script in it can run. The client puts the
 * picture behind `data:image/svg+xml;utf-8,` as it is, and a `#` in it would end the address.
 */
export function svgAddress(qrCode: string): string {
  const svg = qrCode.slice(qrCode.indexOf('<'))
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
}
