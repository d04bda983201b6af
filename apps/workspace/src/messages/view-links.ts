import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for sharing a view as a page. */
export const viewLinkMessages = inLanguages('viewLinkMessages', {
  open: 'Share as a page',
  title: 'Share as a page',
  lead: 'Anyone with the link can read the records of this view, as you see them. They need no account and cannot change anything.',
  name: 'Name',
  nameMissing: 'Give the page a name',
  expires: 'Expires',
  days: (count: number) => icu('In {count, plural, one {# day} other {# days}}', { count }),
  onDate: 'On a date',
  date: 'Last day',
  fields: 'Fields on the page',
  fieldsDetail: 'People, e-mail addresses and phone numbers are left out unless you choose them.',
  impossible: (fields: string) =>
    `The view filters or sorts by ${fields}, which a page cannot do. Change the view first.`,
  offline: 'Sharing needs a connection.',
  create: 'Create link',
  made: 'Link created',
  done: 'Done',
  links: 'Links that work',
  until: (date: string) => `Until ${date}`,
  opened: (ago: string) => `opened ${ago}`,
  neverOpened: 'not opened yet',
  copy: 'Copy',
  copyOf: (name: string) => `Copy the link of ${name}`,
  copied: 'Link copied',
  revoke: 'Revoke',
  revokeOf: (name: string) => `Revoke the link of ${name}`,
  revoked: 'Link revoked',
})

/** Why a link was not created or revoked, by the server's hint. */
export const viewLinkRefusals = inLanguages('viewLinkRefusals', {
  'view_link.name': 'The name of a page has 1 to 120 characters.',
  'view_link.expiry': 'Choose a day within the next year.',
  'view_link.fields': 'Choose 1 to 40 fields of the table.',
  'view_link.limit': 'The workspace has 100 links that work. Revoke one first.',
  'view_link.gone': 'This link no longer exists.',
  'new_table.not_made_here': 'Only tables that were created in the app can be shared.',
  unreachable: 'The server cannot be reached. Sharing needs a connection.',
})
