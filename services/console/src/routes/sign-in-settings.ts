import type { ListedMailTemplate, MailPreview, MailTemplateList, ProviderList } from '@holdfast/protocol'
import { mailTemplateUnknown } from '../errors.ts'
import { MAIL_SOURCE_CHARS_MAX } from '../limits.ts'
import { answer, route, type Route } from '../routing/route.ts'

export interface SignInSources {
  listProviders(): Promise<ProviderList['providers']>
  /** The mail templates in force. */
  readonly mails: readonly MailTemplateSource[]
}

interface MailTemplateSource extends Omit<ListedMailTemplate, 'file'> {
  readonly html: string
  readonly file: string | undefined
  /** Renders the mail with sample values. */
  preview(): { readonly subject: string; readonly html: string; readonly text: string }
}

/** How users sign in with other accounts, and the mails that they get. Both are changed where they are set. */
export function signInSettingRoutes({ listProviders, mails }: SignInSources): readonly Route[] {
  const findMail = (kind = ''): MailTemplateSource => {
    const found = mails.find((mail) => mail.kind === kind)
    if (!found) throw mailTemplateUnknown()
    return found
  }
  return [
    route('GET /settings/providers', {
      access: 'viewer',
      run: async (): Promise<ProviderList> => ({ providers: await listProviders() }),
    }),
    route('GET /settings/mails', {
      access: 'viewer',
      run: async (): Promise<MailTemplateList> => ({
        templates: mails.map(
          ({ kind, isEnabled, subject, subjectOption, hasOwnSubject, contentOption, file = null }) => ({
            kind,
            isEnabled,
            subject,
            subjectOption,
            hasOwnSubject,
            contentOption,
            file,
          }),
        ),
      }),
    }),
    route('GET /settings/mails/:kind', {
      access: 'viewer',
      run: async ({ parameters: { kind } }): Promise<MailPreview> => {
        const { html, preview } = findMail(kind)
        const { subject, text } = preview()
        return {
          subject,
          text: text.slice(0, MAIL_SOURCE_CHARS_MAX),
          source: html.slice(0, MAIL_SOURCE_CHARS_MAX),
          isCut: html.length > MAIL_SOURCE_CHARS_MAX,
        }
      },
    }),
    route('GET /settings/mails/:kind/page', {
      access: 'viewer',
      // A link opens nothing, because the frame may neither open windows nor replace itself by its target.
      run: async ({ parameters: { kind } }) =>
        answer({ page: `<!doctype html><base target="_blank">${findMail(kind).preview().html}` }),
    }),
  ]
}
