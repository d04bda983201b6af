import { inLanguages } from '../lib/texts.ts'

/** Why the server rejected a change, by the code of `explainVerdict`, and what to do. Messages of a project's own rules stay unchanged. */
export const verdictMessages = inLanguages('verdictMessages', {
  titles: {
    'HF-SYNC-NOROW': 'This record is gone or no longer yours to change',
    'HF-SYNC-CONFLICT': 'Another person changed this record in the meantime',
    'HF-SYNC-FK': 'A linked record does not exist any more',
    'HF-SYNC-SCHEMA': 'The tables have changed since this was written',
    'HF-SYNC-REJ-RLS': 'You are not allowed to make this change',
    'HF-SYNC-UNKNOWN': 'The server did not accept this change',
  },
  advice: {
    'HF-SYNC-NOROW': 'Copy what you need from your change, then discard it.',
    'HF-SYNC-CONFLICT': 'Compare both versions, then keep yours or theirs.',
    'HF-SYNC-UNIQUE': 'Change the value and send it again.',
    'HF-SYNC-FK': 'Choose another record, or clear the link, and send it again.',
    'HF-SYNC-LINKED': 'Delete them or change their links first and send it again, or discard your change.',
    'HF-SYNC-NOTNULL': 'Fill it in and send it again.',
    'HF-SYNC-TYPE': 'Change the value and send it again.',
    'HF-SYNC-SCHEMA': 'Look at the record as it is now, then send your change again or discard it.',
    'HF-SYNC-REJ-RLS': 'Change the record so that it is allowed, ask a person who may, or discard your change.',
    'HF-SYNC-UNKNOWN': 'Try again. If it stays, send the details to your operator.',
  },
  notTaken: 'The server could not take this change',
  tryLater: 'Try again later. If it stays, send the details to your operator.',
  /** @param key - column and value, as named in the database */
  taken: (key: string | undefined) => `Another record already has ${key ?? 'the same value'}`,
  /** @param title - of the other record */
  takenBy: (said: string, title: string | undefined) => `${said} is already used by ${title ?? 'another record'}`,
  /** @param table - the table of the linking records */
  stillLinked: (table: string | undefined) =>
    `${table === undefined ? 'Other records' : `Records in ${table}`} still link to this one`,
  needsValue: (label: string | undefined) => `${label ?? 'A field'} needs a value`,
  notValid: (label: string | undefined) =>
    label === undefined ? 'A value is not valid' : `The value of ${label} is not valid`,
  breaksRule: (rule: string) => `This breaks a rule of the table: ${rule}`,
  changeFields: (labels: readonly string[]) => `Change ${labels.join(' or ')} and send it again.`,
  changeValue: 'Change the value and send it again.',
  changeRecord: 'Change the record and send it again.',
})
