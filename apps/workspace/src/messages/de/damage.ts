import { icu, type Translation } from '../../lib/texts.ts'
import type { damageMessages as english } from '../damage.ts'

export const damageMessages: Translation<typeof english> = {
  replaced: 'Die Daten dieses Geräts waren beschädigt. Die Einträge kommen neu vom Server.',
  kept: (changes) =>
    icu(
      '{changes, plural, one {Die # Änderung, die nicht gesendet war, ist noch da.} other {Die # Änderungen, die nicht gesendet waren, sind noch da.}}',
      { changes },
    ),
  lost: 'Nicht alles war lesbar: Nicht gesendete Änderungen oder Fotos können verloren sein. Prüfen Sie, was Sie zuletzt eingegeben haben.',
  save: 'Beschädigte Datei sichern',
}
