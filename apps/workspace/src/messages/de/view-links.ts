import { icu, type Translation } from '../../lib/texts.ts'
import type { viewLinkMessages as en, viewLinkRefusals as enRefusals } from '../view-links.ts'

export const viewLinkMessages: Translation<typeof en> = {
  open: 'Als Seite teilen',
  title: 'Als Seite teilen',
  lead: 'Wer den Link hat, liest die Einträge dieser Ansicht, wie Sie sie sehen, ohne Konto und ohne etwas ändern zu können.',
  name: 'Name',
  nameMissing: 'Geben Sie der Seite einen Namen',
  expires: 'Läuft ab',
  days: (count) => icu('In {count, plural, one {# Tag} other {# Tagen}}', { count }),
  onDate: 'An einem Tag',
  date: 'Letzter Tag',
  fields: 'Felder auf der Seite',
  fieldsDetail: 'Personen, E-Mail-Adressen und Telefonnummern fehlen, solange Sie sie nicht auswählen.',
  impossible: (fields) =>
    `Die Ansicht filtert oder sortiert nach ${fields}; das kann eine Seite nicht. Ändern Sie zuerst die Ansicht.`,
  offline: 'Zum Teilen braucht es eine Verbindung.',
  create: 'Link erstellen',
  made: 'Link erstellt',
  done: 'Fertig',
  links: 'Gültige Links',
  until: (date) => `Bis ${date}`,
  opened: (ago) => `geöffnet ${ago}`,
  neverOpened: 'noch nicht geöffnet',
  copy: 'Kopieren',
  copyOf: (name) => `Link von ${name} kopieren`,
  copied: 'Link kopiert',
  revoke: 'Widerrufen',
  revokeOf: (name) => `Link von ${name} widerrufen`,
  revoked: 'Link widerrufen',
}

export const viewLinkRefusals: Translation<typeof enRefusals> = {
  'view_link.name': 'Der Name einer Seite hat 1 bis 120 Zeichen.',
  'view_link.expiry': 'Wählen Sie einen Tag innerhalb des nächsten Jahres.',
  'view_link.fields': 'Wählen Sie 1 bis 40 Felder der Tabelle.',
  'view_link.limit': 'Der Arbeitsbereich hat 100 gültige Links. Widerrufen Sie zuerst einen.',
  'view_link.gone': 'Diesen Link gibt es nicht mehr.',
  'new_table.not_made_here': 'Nur in der App erstellte Tabellen lassen sich teilen.',
  unreachable: 'Der Server ist nicht erreichbar. Zum Teilen braucht es eine Verbindung.',
}
