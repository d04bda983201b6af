/** Limit of a stored logo in characters of its data URL: 72 kB, as `holdfast_workspaces_logo` has it. */
export const LOGO_CHARS_MAX = 98_304
/** Limit of a chosen file in bytes; larger ones are photos. */
export const LOGO_FILE_MAX = 5_000_000
/** Sizes in pixels of the longest side, tried in this order until the logo is small enough. Paper shows it at 4 cm. */
const SIDES = [640, 400, 240, 120] as const
const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp']

/** Why a file is no logo. `kind`: also SVG, which can contain scripts. */
export type LogoProblem = 'kind' | 'too_large' | 'unreadable'

export class UnusableLogo extends Error {
  override readonly name = 'UnusableLogo'
  readonly reason: LogoProblem
  constructor(reason: LogoProblem, options?: ErrorOptions) {
    super(`The logo is not usable: ${reason}`, options)
    this.reason = reason
  }
}

/** Decodes an image and renders it with a longest side in pixels, as a PNG data URL. */
export type RenderLogo = (file: Blob, side: number) => Promise<string>

/**
 * Returns an image as a data URL of at most {@link LOGO_CHARS_MAX} characters, only its pixels, scaled down as far as needed.
 *
 * @throws {UnusableLogo}
 */
export async function prepareLogo(file: Blob, render: RenderLogo = renderPng): Promise<string> {
  if (!TYPES.includes(file.type)) throw new UnusableLogo('kind')
  if (file.size > LOGO_FILE_MAX) throw new UnusableLogo('too_large')
  for (const side of SIDES) {
    const url = await render(file, side).catch((error: unknown) => {
      throw new UnusableLogo('unreadable', { cause: error })
    })
    if (url.length <= LOGO_CHARS_MAX) return url
  }
  throw new UnusableLogo('too_large')
}

async function renderPng(file: Blob, side: number): Promise<string> {
  const bitmap = await createImageBitmap(file)
  try {
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    const context = canvas.getContext('2d')
    if (!context) throw new Error('The browser has no canvas.')
    context.imageSmoothingQuality = 'high'
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    return canvas.toDataURL('image/png')
  } finally {
    bitmap.close()
  }
}
