/** The clocks of the sites, and the language of the mails. */
export const WORKSPACE = { name: 'Northline Water', time_zone: 'Europe/London', language: 'en' } as const

/** Owner of the workspace: the account that visitors start with. */
export const OWNER = 'Dana Okafor'

/** Further admins, who invite people and manage teams. */
export const ADMINS = ['Arjun Mehta', 'Helen Marsh'] as const

/** Members by team, the lead first. */
export const TEAMS = [
  {
    name: 'North',
    color: 'blue',
    area: 'N',
    people: ['Dana Okafor', 'Mina Kaya', 'Callum Reid', 'Priya Nair', 'Owen Hughes', 'Freya Lund'],
  },
  {
    name: 'East',
    color: 'green',
    area: 'E',
    people: ['Tomas Lindgren', 'Aisha Rahman', 'Gareth Pugh', 'Lucy Whitmore', 'Kofi Mensah'],
  },
  {
    name: 'South',
    color: 'amber',
    area: 'S',
    people: ['Helen Marsh', 'Jonas Weber', 'Nadia Petrova', 'Will Ashdown', 'Grace Oduya'],
  },
  {
    name: 'West',
    color: 'violet',
    area: 'W',
    people: ['Rhys Morgan', 'Siobhan Kelly', 'Daniel Frost', 'Yuki Tanaka', 'Peter Holloway'],
  },
  {
    name: 'Central',
    color: 'teal',
    area: 'C',
    people: ['Ingrid Solberg', 'Marcus Bell', 'Leila Haddad', 'Tom Garside', 'Eva Novak'],
  },
  {
    name: 'South treatment',
    color: 'red',
    area: 'S',
    people: ['Arjun Mehta', 'Chloe Barnes', 'Viktor Hansen', 'Maeve Doyle'],
  },
  {
    name: 'Central network',
    color: 'pink',
    area: 'C',
    people: ['Beatrice Cole', 'Samir Aziz', 'Ellen Fairfax', 'Joseph Tetteh'],
  },
] as const

/** The region codes list where a company works. The first company is Sam's. */
export const CONTRACTORS = [
  { name: 'Calder Valve Services', trade: 'Valves and penstocks', areas: 'NC', people: ['Sam Reyes', 'Jess Calder'] },
  { name: 'Brightwell Pumps', trade: 'Pumps and motors', areas: 'NEW', people: ['Nina Brightwell'] },
  { name: 'Hartley Electrical', trade: 'Electrical and control', areas: 'NSC', people: ['Dev Hartley'] },
  { name: 'Stonebridge Civils', trade: 'Concrete and roofs', areas: 'ESW', people: ['Rob Ainsley'] },
  { name: 'Aquatest Laboratories', trade: 'Instruments and sampling', areas: 'SC', people: ['Mei Chen'] },
  { name: 'Penfold Fencing', trade: 'Fences and gates', areas: 'NEWSC', people: ['Alan Penfold'] },
  { name: 'Greenway Grounds', trade: 'Grounds and drainage', areas: 'EW', people: ['Kirsty Vale'] },
  { name: 'Torrent Dosing Systems', trade: 'Chemical dosing', areas: 'SCE', people: ['Paulo Santos'] },
] as const

export const AUDITORS = ['Ruth Adler', 'Henry Osei', 'Clara Winters'] as const

export const CERTIFICATIONS = [
  'Confined space',
  'Chlorine handling',
  'Working at height',
  'First aid',
  'Low-voltage switching',
  'Water hygiene',
] as const
