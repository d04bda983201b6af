import { inLanguages } from '../lib/texts.ts'

/** Texts of fields with a format, such as ratings and locations. */
export const fieldFormatMessages = inLanguages('fieldFormatMessages', {
  rating: (value: string, max: number) => `${value} of ${max}`,
  ratingBetween: (max: number) => `Enter a number from 1 to ${max}`,
  clearRating: 'Clear rating',
  duration: 'Enter hours and minutes, such as 1:30 or 90 min',
  wholeMinutes: 'Enter whole minutes',
  location: 'Enter latitude and longitude, such as 52.52, 13.405',
  locate: 'Use my position',
  located: (metres: string) => `Accurate to about ${metres}`,
  notLocated: {
    denied: 'The browser does not let this site use your position. Allow it in the settings of the site.',
    unavailable: 'No position was found. Try again outside.',
  },
  scan: 'Scan',
  filesElsewhere: 'Open the record to add or remove files',
})
