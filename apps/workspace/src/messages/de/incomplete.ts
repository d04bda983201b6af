import { capitalize } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { incompleteMessages as english } from '../incomplete.ts'

export const incompleteMessages: Translation<typeof english> = {
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
    being_read: (many) => `Einige ${capitalize(many)} sind noch nicht auf diesem Gerät. Der Server liest sie noch ein`,
    not_on_device: (many) => `Dieses Gerät kann ${capitalize(many)} nicht speichern. Sie fehlen hier`,
  },
  advice: {
    too_many_groups:
      'Bitten Sie, wer sie freigibt, einige zurückzunehmen, oder fragen Sie Ihre Systembetreuung. Was hier fehlt, ist noch auf dem Server.',
    own_values: 'Löschen Sie einige oder nehmen Sie Werte, die andere schon haben. Sie sind noch auf dem Server.',
    others_values:
      'Sagen Sie es Ihrer Systembetreuung; sie sieht, wessen es sind. Was hier fehlt, ist noch auf dem Server.',
    too_many_values: 'Sagen Sie es Ihrer Systembetreuung. Was hier fehlt, ist noch auf dem Server.',
    policy_fails: 'Sagen Sie es Ihrer Systembetreuung. Von dem, was Sie geschrieben haben, ist nichts verloren.',
    being_read: 'Sie kommen von selbst. Sie müssen nichts tun.',
    not_on_device:
      'Laden Sie die App neu, und sagen Sie es Ihrer Systembetreuung, wenn das nicht hilft. Die Einträge sind auf dem Server.',
  },
}
