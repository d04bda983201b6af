import { expect, test } from 'vitest'
import { isVideo } from '../is-video.ts'
import { bareType, extensionOfVideo } from './videos.ts'

test('a video is known by its media type, with codecs behind it or without', () => {
  expect(['video/mp4', 'video/webm;codecs=vp9', 'image/jpeg', '', null].map(isVideo)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  expect(bareType('Video/WebM; codecs="vp9,opus"')).toBe('video/webm')
})

test('a file is called by what it is, so that a saved copy opens', () => {
  expect(['video/mp4', 'video/quicktime', 'video/webm', 'video/3gpp'].map(extensionOfVideo)).toEqual([
    '.mp4',
    '.mov',
    '.webm',
    '.3gpp',
  ])
})
