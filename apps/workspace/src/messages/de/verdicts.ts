import type { Translation } from '../../lib/texts.ts'
import type { verdictMessages as english } from '../verdicts.ts'

export const verdictMessages: Translation<typeof english> = {
  titles: {
    'HF-SYNC-NOROW': 'Diesen Eintrag gibt es nicht mehr, oder Sie dürfen ihn nicht mehr ändern',
    'HF-SYNC-CONFLICT': 'Inzwischen hat jemand anderes diesen Eintrag geändert',
    'HF-SYNC-FK': 'Ein verknüpfter Eintrag ist nicht mehr da',
    'HF-SYNC-SCHEMA': 'Die Tabellen haben sich geändert, seit das geschrieben wurde',
    'HF-SYNC-REJ-RLS': 'Sie dürfen diese Änderung nicht machen',
    'HF-SYNC-UNKNOWN': 'Der Server hat diese Änderung nicht angenommen',
  },
  advice: {
    'HF-SYNC-NOROW': 'Kopieren Sie aus Ihrer Änderung, was Sie brauchen, und verwerfen Sie sie dann.',
    'HF-SYNC-CONFLICT': 'Vergleichen Sie beide Fassungen und behalten Sie dann Ihre oder die andere.',
    'HF-SYNC-UNIQUE': 'Ändern Sie den Wert und senden Sie noch einmal.',
    'HF-SYNC-FK': 'Wählen Sie einen anderen Eintrag oder leeren Sie die Verknüpfung und senden Sie noch einmal.',
    'HF-SYNC-LINKED':
      'Löschen Sie diese oder ändern Sie erst deren Verknüpfungen und senden Sie noch einmal, oder verwerfen Sie Ihre Änderung.',
    'HF-SYNC-NOTNULL': 'Füllen Sie es aus und senden Sie noch einmal.',
    'HF-SYNC-TYPE': 'Ändern Sie den Wert und senden Sie noch einmal.',
    'HF-SYNC-SCHEMA': 'Sehen Sie sich den Eintrag an, wie er jetzt ist, und senden Sie noch einmal oder verwerfen Sie.',
    'HF-SYNC-REJ-RLS':
      'Ändern Sie den Eintrag so, dass es erlaubt ist, fragen Sie jemanden, der darf, oder verwerfen Sie Ihre Änderung.',
    'HF-SYNC-UNKNOWN':
      'Versuchen Sie es noch einmal. Wenn es so bleibt, senden Sie die Einzelheiten an Ihre Systembetreuung.',
  },
  notTaken: 'Der Server konnte diese Änderung nicht annehmen',
  tryLater:
    'Versuchen Sie es später noch einmal. Wenn es so bleibt, senden Sie die Einzelheiten an Ihre Systembetreuung.',
  taken: (key) =>
    key === undefined ? 'Ein anderer Eintrag hat schon diesen Wert' : `Ein anderer Eintrag hat schon ${key}`,
  takenBy: (said, title) => `${said} ist schon vergeben: ${title ?? 'ein anderer Eintrag'}`,
  stillLinked: (table) =>
    `${table === undefined ? 'Andere Einträge' : `Einträge in ${table}`} sind noch mit diesem verknüpft`,
  needsValue: (label) => `${label ?? 'Ein Feld'} braucht einen Wert`,
  notValid: (label) => (label === undefined ? 'Ein Wert ist ungültig' : `Der Wert von ${label} ist ungültig`),
  breaksRule: (rule) => `Das verletzt eine Regel der Tabelle: ${rule}`,
  changeFields: (labels) => `Ändern Sie ${labels.join(' oder ')} und senden Sie noch einmal.`,
  changeValue: 'Ändern Sie den Wert und senden Sie noch einmal.',
  changeRecord: 'Ändern Sie den Eintrag und senden Sie noch einmal.',
}
