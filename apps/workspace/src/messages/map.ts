import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const mapMessages = inLanguages('mapMessages', {
  mapOf: (table: string) => `${table}, map`,
  by: 'By',
  byField: (label: string) => `By ${label}`,
  near: (count: number, noun: string, many: string) =>
    icu('{count, plural, one {# {noun}} other {# {many}}} near to each other', { count, noun, many }),
  closer: 'Zoom in',
  farther: 'Zoom out',
  all: 'Show all',
  myPosition: 'My position',
  looking: 'Looking for your position',
  youAreHere: (metres: string) => `You are here, within ${metres}`,
  noPosition: 'This device did not say where it is',
  positionDenied: 'The browser did not allow the position. You can allow it in the settings of this page.',
  noPlaces: (many: string) => `None of these ${many} has a place`,
  noPlacesDetail: 'Records come onto the map with values in the fields that it goes by.',
  withoutPlace: (count: number) => `${formatCount(count)} without a place`,
  noBackground: 'The map background could not be loaded.',
  noBackgroundOffline: 'The map background needs a connection.',
  backgroundHasGaps: 'Parts of the map background are missing.',
  tryAgain: 'Try again',
  loadAgain: 'Load the app again',
  credits: 'Map:',
  noFields: 'This table has no place',
  noFieldsDetail: 'A map needs two numbers such as lat and lon, or a field with a point.',
  here: 'Records here',
  keys: 'Arrow keys move the map, plus and minus zoom, 0 shows all. Tab goes from record to record, from north to south.',
})
