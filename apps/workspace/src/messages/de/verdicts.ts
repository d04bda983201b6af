import { capitalize } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { incompleteMessages as incomplete, verdictMessages as english } from '../verdicts.ts'

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
  needsValue: (label) => `${label ?? 'Ein Feld'} braucht einen Wert`,
  notValid: (label) => (label === undefined ? 'Ein Wert ist ungültig' : `Der Wert von ${label} ist ungültig`),
  breaksRule: (rule) => `Das verletzt eine Regel der Tabelle: ${rule}`,
  changeFields: (labels) => `Ändern Sie ${labels.join(' oder ')} und senden Sie noch einmal.`,
  changeValue: 'Ändern Sie den Wert und senden Sie noch einmal.',
  changeRecord: 'Ändern Sie den Eintrag und senden Sie noch einmal.',
}

export const incompleteMessages: Translation<typeof incomplete> = {
  titles: {
    too_many_groups: (many) =>
      `Für Sie sind mehr ${capitalize(many)} freigegeben, als auf ein Gerät passen. Einige fehlen hier`,
    own_values: (many) =>
      `Einige ${capitalize(many)}, die Sie geschrieben haben, sind nicht auf den Geräten. Sie haben mehr verschiedene Werte geschrieben, als ein Konto darf`,
    others_values: (many) =>
      `Einige ${capitalize(many)} eines anderen Kontos fehlen hier. Es hat mehr verschiedene Werte geschrieben, als ein Konto darf`,
    too_many_values: (many) =>
      `Die neuesten ${capitalize(many)} fehlen hier vielleicht. Es gibt mehr verschiedene Werte, als Geräte bekommen`,
    policy_fails: (many) =>
      `Einige ${capitalize(many)} fehlen hier. Der Server kann nicht entscheiden, welche Sie sehen dürfen`,
  },
  advice: {
    too_many_groups:
      'Bitten Sie, wer sie freigibt, einige zurückzunehmen, oder fragen Sie Ihre Systembetreuung. Was hier fehlt, ist noch auf dem Server.',
    own_values: 'Löschen Sie einige oder nehmen Sie Werte, die andere schon haben. Sie sind noch auf dem Server.',
    others_values:
      'Sagen Sie es Ihrer Systembetreuung; sie sieht, wessen es sind. Was hier fehlt, ist noch auf dem Server.',
    too_many_values: 'Sagen Sie es Ihrer Systembetreuung. Was hier fehlt, ist noch auf dem Server.',
    policy_fails: 'Sagen Sie es Ihrer Systembetreuung. Von dem, was Sie geschrieben haben, ist nichts verloren.',
  },
}
