import type { AuthOptions } from '../options/auth-options.ts'
import type { MailTemplates } from './mail-templates.ts'
import type { DescribedMail, NoticeKind, TemplateKind } from './messages.ts'
import { NOTICE_KINDS, NOTICE_OPTIONS } from './notices.ts'
import type { TemplateValues } from './template/compile-template.ts'
import { invitationValues, mailValues, noticeValues, type TemplateSite } from './template-values.ts'

/** A reserved domain, so that a sample never names an account. */
const ADDRESS = 'kim@example.com'
const NEW_ADDRESS = 'kim.new@example.com'

/** Lists the templates in force, which {@link DescribedMail.preview} renders with sample values. */
export function describeMails(
  site: TemplateSite & { readonly options: AuthOptions },
  templates: MailTemplates,
): readonly DescribedMail[] {
  return Object.entries(templates).map(([name, template]): DescribedMail => {
    // The record has a template for each kind.
    const kind = name as TemplateKind
    const { render, subject, html, subjectOption, hasOwnSubject, contentOption, file } = template
    return {
      kind,
      isEnabled: !isNotice(kind) || site.options[`emailNotification${NOTICE_OPTIONS[kind]}Enabled`],
      subject,
      html,
      subjectOption,
      hasOwnSubject,
      contentOption,
      file,
      preview: () => render(sampleValues(site, kind)),
    }
  })
}

function isNotice(kind: TemplateKind): kind is NoticeKind {
  return NOTICE_KINDS.some((notice) => notice === kind)
}

function sampleValues(site: TemplateSite, kind: TemplateKind): TemplateValues {
  if (kind === 'workspace_invitation')
    return invitationValues(site, {
      to: ADDRESS,
      link: `${site.siteUrl}/invitation#sample`,
      secret: 'sample',
      workspace: site.projectName,
      inviter: 'Robin Doe',
      team: 'North',
      message: 'Welcome to the team',
      expiresAt: new Date('2030-01-01T00:00:00Z'),
    })
  if (isNotice(kind))
    return noticeValues(site, {
      kind,
      to: ADDRESS,
      user: { email: ADDRESS, phone: '15550100', raw_user_meta_data: { name: 'Kim Doe' } },
      values: { oldEmail: 'kim.old@example.com', oldPhone: '15550199', provider: 'github', factorType: 'totp' },
    })
  return mailValues(
    site,
    {
      kind,
      to: kind === 'email_change' ? NEW_ADDRESS : ADDRESS,
      userId: '00000000-0000-0000-0000-000000000000',
      token: '123456',
      tokenHash: 'sample',
      redirectTo: site.siteUrl,
      data: { name: 'Kim Doe' },
      ...(kind === 'email_change' && { newEmail: NEW_ADDRESS }),
    },
    ADDRESS,
  )
}
