import { expect, test } from 'vitest'
import type { NoPhotoReason } from './prepare-photo.ts'
import { prepareVideo } from './prepare-video.ts'
import { VIDEO_BYTES_MAX } from './videos.ts'

const TYPES = new Set(['video/mp4', 'video/webm'])

/** A file of the given size that uses no memory. */
function fileOf(size: number, type: string): Blob {
  return Object.defineProperty(new Blob([], { type }), 'size', { value: size })
}

/** Evaluated before reading the file, which this environment could not. */
async function reasonFor(file: Blob, types: ReadonlySet<string> = TYPES): Promise<NoPhotoReason | undefined> {
  return prepareVideo(file, types).then(
    () => undefined,
    (error: { readonly reason?: NoPhotoReason }) => error.reason,
  )
}

test('a video is refused where none are taken, and where its kind is not', async () => {
  expect(await reasonFor(fileOf(9, 'video/mp4'), new Set())).toBe('video')
  expect(await reasonFor(fileOf(9, 'video/x-msvideo'))).toBe('video_kind')
})

test('an empty one and one that is larger than servers take are refused before they are stored', async () => {
  expect(await reasonFor(fileOf(0, 'video/mp4'))).toBe('empty')
  expect(await reasonFor(fileOf(VIDEO_BYTES_MAX + 1, 'video/webm;codecs=vp9'))).toBe('video_too_large')
})
