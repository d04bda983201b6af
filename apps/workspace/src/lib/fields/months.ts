import { LANGUAGES } from '../language.ts'
import { remembered } from '../remembered.ts'

/** Languages whose months and weekdays are read, besides the reader's. */
const READ = [...LANGUAGES, 'de-AT', 'fr']
/** Abbreviations that are no beginning of a name. */
const SHORT: ReadonlyMap<string, number> = new Map([['mrz', 3]])

type Names = ReadonlyMap<string, number>

const months = new Map<string, Names>()
const weekdays = new Map<string, Names>()

/** Returns the number of a month by its name, or by a beginning of three letters and more that only one month has. Ignores case and accents. */
export function monthByName(name: string, locale: string): number | undefined {
  return SHORT.get(fold(name)) ?? numberOf(name, locale, monthsOf)
}

export function isWeekday(name: string, locale: string): boolean {
  return [locale, ...READ].some((language) =>
    [...weekdaysOf(language).keys()].some((weekday) => weekday.startsWith(fold(name))),
  )
}

function numberOf(name: string, locale: string, namesOf: (language: string) => Names): number | undefined {
  const folded = fold(name)
  for (const language of [locale, ...READ]) {
    const found = [...namesOf(language)].filter(([one]) => one.startsWith(folded)).map(([, number]) => number)
    if (found.length === 1) return found[0]
  }
  return undefined
}

function monthsOf(language: string): Names {
  return remembered(months, language, () => {
    const format = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
    return new Map(
      Array.from({ length: 12 }, (_, month) => [fold(format.format(Date.UTC(2026, month, 1))), month + 1] as const),
    )
  })
}

function weekdaysOf(language: string): Names {
  return remembered(weekdays, language, () => {
    const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
    return new Map(
      Array.from({ length: 7 }, (_, day) => [fold(format.format(Date.UTC(2026, 0, day + 1))), day] as const),
    )
  })
}

function fold(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase()
}
