import { jsonSchema } from '@/server/openapi';
import type { Operation } from '@/server/operations';
import { Badge } from '@/ui/badge';
import { Markdown } from '@/ui/markdown';
import { Panel } from '@/ui/page';
import { typeText } from './type-text';

const ACCESS: Readonly<Record<Operation['access'], string>> = {
  open: 'everyone',
  read: 'everyone; on a private grid, any token',
  submit: 'member or admin',
  enroll: 'worker or admin',
  admin: 'admin',
};

/** One operation of the API: what it takes, what it answers, and who may ask. */
export function Endpoint({ id, operation }: { id: string; operation: Operation }) {
  const { access, answer, body, method, path, query, summary } = operation;
  return (
    <Panel className="px-4 py-3">
      <h3
        id={id}
        className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1 font-mono text-[0.8125rem]"
      >
        <Badge tone={method === 'GET' ? 'accent' : 'amber'}>{method}</Badge>
        <span className="min-w-0 break-all">/api/v1{path}</span>
      </h3>
      <div className="mt-1.5 max-w-prose text-[0.8125rem]">
        <Markdown text={summary} hrefOf={() => null} />
      </div>
      <p className="mt-1 text-xs text-muted">For {ACCESS[access]}.</p>
      {query && <Schema of={id} title="Query" text={typeText(jsonSchema(query, 'input'))} />}
      {body && <Schema of={id} title="Body" text={typeText(jsonSchema(body, 'input'))} />}
      {answer.schema ? (
        <Schema
          of={id}
          title={`${answer.status}${answer.types ? `, ${answer.types.join(' or ')}` : ''}`}
          text={typeText(jsonSchema(answer.schema, 'output'))}
        />
      ) : (
        <p className="mt-2 text-xs text-muted">{answer.status}, without a body</p>
      )}
    </Panel>
  );
}

/** Short types are shown, long ones on demand. */
function Schema({ of, title, text }: { of: string; title: string; text: string }) {
  const code = (
    <section
      aria-label={`${title} of ${of}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      className="mt-1 max-h-96 overflow-auto rounded-tile bg-sunken px-3 py-2"
    >
      <pre className="text-xs leading-5">{text}</pre>
    </section>
  );
  if (!text.includes('\n')) {
    return (
      <div className="mt-2">
        <p className="text-xs text-muted">{title}</p>
        {code}
      </div>
    );
  }
  return (
    <details className="mt-2">
      <summary className="text-xs text-muted hover:text-ink">{title}</summary>
      {code}
    </details>
  );
}
