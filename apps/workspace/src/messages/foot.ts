import { inLanguages } from '../lib/texts.ts'

/** Texts of the column footer, loaded after the first rows. */
export const footMessages = inLanguages('footMessages', {
  calculate: 'Calculate',
  calculateOf: (label: string) => `Calculate of ${label}`,
  nothing: 'Nothing',
  of: (aggregate: string, label: string, value: string) => `${aggregate} of ${label}: ${value}`,
  aggregates: {
    count: 'Count',
    filled: 'Filled',
    empty: 'Empty',
    unique: 'Unique',
    sum: 'Sum',
    average: 'Average',
    min: 'Smallest',
    max: 'Largest',
    earliest: 'Earliest',
    latest: 'Latest',
  },
})
