import { describe, expect, test } from 'vitest'
import { parseAccept, parseMediaType, renderContentType, renderMediaType } from './media-type.ts'

const rendered = (header: string | undefined) => parseAccept(header).map(renderMediaType)

describe('parseAccept', () => {
  test.each([
    [undefined, ['*/*']],
    ['', ['*/*']],
    ['text/csv;q=0.5, application/vnd.pgrst.object+json', ['application/vnd.pgrst.object+json', 'text/csv']],
    ['text/html,application/xml;q=0.9,image/png,*/*;q=0.8', ['text/html', 'image/png', 'application/xml', '*/*']],
    ['*/*, text/csv', ['text/csv', '*/*']],
    ['text/csv, text/xml;charset=utf-8', ['text/xml', 'text/csv']],
    ['application/json;q=0, text/csv', ['text/csv']],
    ['ApplicatIon/vnd.PgRsT.object+json', ['application/vnd.pgrst.object+json']],
    ['application/vnd.pgrst.array+json', ['application/json']],
    ['application/vnd.pgrst.array;nulls=stripped', ['application/vnd.pgrst.array+json;nulls=stripped']],
    ['application/vnd.pgrst.object; nulls=stripped', ['application/vnd.pgrst.object+json;nulls=stripped']],
    ['undefined', ['undefined']],
  ])('reads %j', (header, types) => {
    expect(rendered(header)).toEqual(types)
  })
})

describe('plans', () => {
  test.each([
    ['application/vnd.pgrst.plan', 'application/vnd.pgrst.plan+text; for="application/json"; charset=utf-8'],
    [
      'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json;nulls=stripped"; options=wal|analyze|nothing',
      'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json;nulls=stripped"; options=analyze|wal; charset=utf-8',
    ],
    [
      'application/vnd.pgrst.plan+text ; for="text/csv" ; options=verbose',
      'application/vnd.pgrst.plan+text; for="text/csv"; options=verbose; charset=utf-8',
    ],
  ])('%s', (text, contentType) => {
    expect(renderContentType(parseMediaType(text))).toBe(contentType)
  })
})

describe('renderContentType', () => {
  test.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['application/geo+json', 'application/geo+json; charset=utf-8'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['application/octet-stream', 'application/octet-stream'],
    ['image/png', 'image/png'],
  ])('%s', (text, contentType) => {
    expect(renderContentType(parseMediaType(text))).toBe(contentType)
  })
})
