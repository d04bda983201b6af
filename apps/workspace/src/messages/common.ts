import { inLanguages } from '../lib/texts.ts'

/** Texts of components used on many screens. */
export const commonMessages = inLanguages('commonMessages', {
  close: 'Close',
  dismiss: 'Dismiss',
  cancel: 'Cancel',
  choose: 'Choose',
  loading: 'Loading',
  details: 'Details',
  clearSearch: 'Clear search',
  failed: 'This did not work',
  failedDetail: 'Nothing on this device was lost.',
})
