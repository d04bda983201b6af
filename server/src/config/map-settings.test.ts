import { describe, expect, test } from 'vitest'
import { readMapSettings } from './map-settings.ts'

const STYLE = 'https://tiles.example.com/styles/streets.json?key=public'
const read = (mapStyleUrl: string | undefined, mapDarkStyleUrl?: string, mapOrigins: readonly string[] = []) =>
  readMapSettings({ mapStyleUrl, mapDarkStyleUrl, mapOrigins })

describe('settings of maps', () => {
  test('are none without a style', () => {
    expect(read(undefined)).toBeUndefined()
  })

  test('name each origin once, of the styles and of what they load', () => {
    expect(
      read(STYLE, 'https://tiles.example.com/dark.json', ['https://fonts.example.com', 'http://127.0.0.1:8080']),
    ).toEqual({
      style: STYLE,
      darkStyle: 'https://tiles.example.com/dark.json',
      origins: ['https://tiles.example.com', 'https://fonts.example.com', 'http://127.0.0.1:8080'],
    })
  })

  test.each([
    'tiles.example.com/style.json',
    '/style.json',
    'mapbox://styles/streets',
    'https://user:secret@tiles.example.com/style.json',
    'https://*.example.com/style.json',
    "https://a;script-src'unsafe-eval'/style.json",
    'https://[::1]/style.json',
  ])('refuse %s as a style', (style) => {
    expect(() => read(style)).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })

  test.each([
    '*',
    'https:',
    'https://*.example.com',
    'https://fonts.example.com/',
    'https://fonts.example.com/a',
    'fonts.example.com',
  ])('refuse %s as an origin', (origin) => {
    expect(() => read(STYLE, undefined, [origin])).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })

  test('refuse origins and a dark style that belong to no style', () => {
    expect(() => read(undefined, STYLE)).toThrow(expect.objectContaining({ code: 'option_invalid' }))
    expect(() => read(undefined, undefined, ['https://fonts.example.com'])).toThrow(
      expect.objectContaining({ code: 'option_invalid' }),
    )
  })
})
