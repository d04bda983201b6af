import { automationMessages as words, automationReasons } from '../../messages/automations.ts'

/** Says why a run failed or an automation stopped. @param lacks - labels of what is gone */
export function reasonWords(reason: string, lacks?: string | null): string {
  if (lacks != null && lacks !== '')
    return reason === 'automation.table' ? words.lacksTable(lacks) : words.lacksField(lacks)
  return (automationReasons as Readonly<Record<string, string>>)[reason] ?? reason
}
