import type { Locator, Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'

export interface Finding {
  readonly id: string
  readonly title: string
}

/** A new finding of the North, which no contractor works on. */
export async function makeFinding({ admin }: Holdfast, title: string): Promise<Finding> {
  const [finding] = await admin.query<Finding>(sql`
    insert into public.findings (title, site_id, severity)
    select ${title}, s.id, 'high' from public.sites s join public.regions r on r.id = s.region_id
     where r.name = 'North' and s.status <> 'decommissioned' order by s.id limit 1
    returning id, title`)
  if (!finding) throw new Error('the sample has a site')
  return finding
}

/** Whether a request has to do with the bytes of files: in one request, or in parts once that was cut. */
export function isOfBytes({ pathname }: URL): boolean {
  return pathname.startsWith('/storage/v1/object/') || pathname.startsWith('/storage/v1/upload/resumable')
}

/** A picture as a camera stores it: large, lying on its side, with the place where it was taken. */
export async function takePicture(page: Page): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const base64 = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(3000, 2000)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    const sky = context.createLinearGradient(0, 0, 3000, 2000)
    sky.addColorStop(0, '#2b6f8f')
    sky.addColorStop(1, '#d8c9a8')
    context.fillStyle = sky
    context.fillRect(0, 0, 3000, 2000)
    // Noise: a real picture does not become small.
    for (let index = 0; index < 60_000; index++) {
      context.fillStyle = `hsl(${(index * 37) % 360} 60% ${30 + (index % 50)}%)`
      context.fillRect((index * 7919) % 3000, (index * 104_729) % 2000, 9, 9)
    }
    context.fillStyle = '#b3402e'
    context.fillRect(0, 0, 900, 600)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 })).arrayBuffer())
    let text = ''
    for (let start = 0; start < bytes.length; start += 8_192)
      text += String.fromCharCode(...bytes.subarray(start, start + 8_192))
    return btoa(text)
  })
  const jpeg = Buffer.from(base64, 'base64')
  return {
    name: 'IMG_0042.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.concat([jpeg.subarray(0, 2), exif(), jpeg.subarray(2)]),
  }
}

/** EXIF that turns the picture by a quarter, and says where it was taken. */
function exif(): Buffer {
  const tiff = Buffer.alloc(64)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  tiff.set([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0], 10) // orientation: turned clockwise
  tiff.set([0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 40], 22) // where the GPS facts are
  tiff.writeUInt16BE(1, 40)
  tiff.set([0, 1, 0, 2, 0, 0, 0, 2, 0x4e, 0, 0, 0], 42) // GPSLatitudeRef: N
  const head = Buffer.from([0xff, 0xe1, 0, tiff.length + 8])
  return Buffer.concat([head, Buffer.from('Exif\0\0', 'latin1'), tiff])
}

/** The photos of the open record. */
export const tiles = (page: Page): Locator =>
  page
    .getByRole('region', { name: /^Photos/ })
    .getByRole('listitem')
    .getByRole('button')

export const picker = (page: Page): Locator => page.getByTestId('photo-files')
