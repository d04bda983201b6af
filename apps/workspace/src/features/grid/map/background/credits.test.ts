import { expect, test } from 'vitest'
import { creditsOf } from './credits.ts'

const OSM = '<a href="https://www.openstreetmap.org/copyright" target="_blank">&copy; OpenStreetMap contributors</a>'
const OSM_CREDIT = { text: '© OpenStreetMap contributors', href: 'https://www.openstreetmap.org/copyright' }

test('an attribution keeps its words and its links', () => {
  expect(creditsOf([`<b>Tiles</b> by <a href='https://tiles.example.com/?a=1&amp;b=2'>Example</a>, ${OSM}`])).toEqual([
    [
      { text: 'Tiles' },
      { text: ' by ' },
      { text: 'Example', href: 'https://tiles.example.com/?a=1&b=2' },
      { text: ', ' },
      OSM_CREDIT,
    ],
  ])
})

test('an attribution that is the same as another, or part of it, is named once', () => {
  expect(creditsOf([OSM, OSM, '&#169; OpenStreetMap contributors', ''])).toEqual([[OSM_CREDIT]])
  expect(creditsOf(['OpenStreetMap', OSM])).toEqual([[OSM_CREDIT]])
})

test('an attribution runs nothing', () => {
  expect(
    creditsOf([
      '<a href="javascript:alert(1)">Here</a><img src=x onerror="alert(1)"><script>alert(2)</script>&unknown;',
    ]),
  ).toEqual([[{ text: 'Here' }, { text: 'alert(2)' }, { text: '&unknown;' }]])
})
