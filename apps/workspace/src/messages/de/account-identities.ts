import { formatAgo } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { identitiesMessages as english } from '../account-identities.ts'

export const identitiesMessages: Translation<typeof english> = {
  title: 'Arten der Anmeldung',
  lead: 'Konten, die dieses Konto öffnen. Mit zweien sperrt Sie der Verlust des einen nicht aus.',
  label: 'Verknüpfte Konten',
  none: 'Noch ist nichts verknüpft.',
  guest:
    'Sie sind Gast: noch ist nichts verknüpft. Verknüpfen Sie ein Konto, um dieses zu behalten, oder geben Sie in Ihrem Profil eine E-Mail-Adresse an.',
  lastUsed: (at) => `zuletzt benutzt ${formatAgo(at)}`,
  added: (at) => `verknüpft ${formatAgo(at)}`,
  unlink: 'Lösen',
  unlinkNamed: (name) => `${name} lösen`,
  onlyOne: 'Anders können Sie sich nicht anmelden; verknüpfen Sie ein weiteres Konto, bevor Sie dieses lösen.',
  unlinkTitle: (name) => `${name} lösen?`,
  unlinkDetail: (name) => `${name} öffnet dieses Konto dann nicht mehr. Dort wird nichts gelöscht.`,
  unlinkEmail: 'Ihre E-Mail-Adresse und Ihr Passwort öffnen dieses Konto dann nicht mehr.',
  unlinked: (name) => `${name} ist gelöst`,
  linkTitle: 'Weiteres Konto verknüpfen',
  linkLead: 'Sie melden sich dort an und kommen hierher zurück.',
  link: (name) => `${name} verknüpfen`,
  noProviders: 'Auf diesem Server lassen sich keine anderen Konten verknüpfen.',
  linkingOff:
    'Verknüpfen und Lösen sind auf diesem Server ausgeschaltet. Fragen Sie Ihre Systembetreuung, wenn Sie es brauchen.',
  email: 'E-Mail',
  phone: 'Telefon',
}
