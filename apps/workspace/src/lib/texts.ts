import { LocalizedStringDictionary, LocalizedStringFormatter, type LocalizedString } from '@internationalized/string'
import { pageLocale } from './language.ts'

/**
 * A translation: each key a text or a function with the same arguments. Missing keys fall back to English, obsolete ones are ignored; the texts' test reports
 * both.
 */
export type Translation<T> = { readonly [K in keyof T]?: Translated<T[K]> } & Gone

/** Texts without an English original. */
interface Gone {
  // oxlint-disable-next-line typescript/no-explicit-any -- their arguments are unknown
  readonly [key: string]: string | readonly string[] | ((...given: any[]) => string) | object | undefined
}

type Translated<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends readonly string[]
      ? readonly string[]
      : Translation<T>

/** Translations by name. */
export type Catalogue = Readonly<Record<string, object>>

type Values = Readonly<Record<string, string | number | boolean>>

let catalogue: Catalogue = {}
let formatter: LocalizedStringFormatter | undefined

/** Uses these translations from now on, falling back to English. */
export function readTextsFrom(translations: Catalogue): void {
  catalogue = translations
}

/**
 * Declares translatable English texts. Texts are looked up on access, so read them while rendering, never into a module constant.
 *
 * @param name - of the export, also used by translations (`messages/de`)
 */
export function inLanguages<const T extends object>(name: string, english: T): T {
  let source: Catalogue | undefined
  let texts = english
  const current = (): T => {
    if (source !== catalogue) {
      source = catalogue
      texts = translate(english, catalogue[name])
    }
    return texts
  }
  return new Proxy(english, { get: (_, key) => Reflect.get(current(), key) as unknown })
}

function translate<T>(english: T, translation: unknown): T {
  if (translation === undefined) return english
  if (typeof english !== 'object' || english === null || Array.isArray(english)) return translation as T
  const translations = translation as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(english).map(([key, text]: [string, unknown]) => [key, translate(text, translations[key])]),
  ) as T
}

/**
 * A text of an ICU message: `{count, plural, one {# photo} other {# photos}}`. The build turns the message into a
 * function (`compile-messages.ts`), in files below `messages` only.
 *
 * @param message - a literal
 * @param values - by the names that the message uses
 * @see https://unicode-org.github.io/icu/userguide/format_parse/messages/
 */
export function icu(message: string, values: Values): string {
  const compiled = message as LocalizedString
  if (typeof compiled === 'string') return compiled // a message without arguments
  formatter ??= new LocalizedStringFormatter(pageLocale(), new LocalizedStringDictionary({}))
  return compiled(values, formatter)
}
