/** The API reference, drawn from the OpenAPI document that the API itself serves. */
import type { Access } from '@/server/session/access';
import { Markdown } from '@/ui/markdown';
import { Badge } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { type JsonSchema, typeText } from './type-text';

/** The parts of an operation of openapi.json that the API page shows. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-access': Access;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

const ACCESS: Readonly<Record<Access, string>> = {
  open: 'everyone',
  read: 'everyone; on a private grid, any token',
  submit: 'member or admin',
  work: 'worker or admin',
  admin: 'admin',
};

/** One operation of the API: what it takes, what it answers, and who may ask. */
export function Endpoint({
  method,
  path,
  operation,
}: {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}) {
  const { operationId: id, parameters = [], requestBody, responses, summary } = operation;
  const query = parameters.filter((each) => each.in === 'query');
  const [status = '', done] = Object.entries(responses).find(([code]) => code < '300') ?? [];
  const types = Object.keys(done?.content ?? {});
  const [answer] = Object.values(done?.content ?? {});
  const body = requestBody?.content['application/json'];
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
        <Markdown text={summary} hrefOf={(link) => link} />
      </div>
      <p className="mt-1 text-xs text-muted">For {ACCESS[operation['x-access']]}.</p>
      {query.length > 0 && <Schema of={id} title="Query" text={typeText(objectOf(query))} />}
      {body && <Schema of={id} title="Body" text={typeText(body.schema)} />}
      {answer ? (
        <Schema of={id} title={titleOf(status, types)} text={typeText(answer.schema)} />
      ) : (
        <p className="mt-2 text-xs text-muted">{status}, without a body</p>
      )}
    </Panel>
  );
}

const titleOf = (status: string, types: readonly string[]) =>
  types.length === 1 && types[0] === 'application/json'
    ? status
    : `${status}, ${types.join(' or ')}`;

const objectOf = (parameters: NonNullable<OpenApiOperation['parameters']>): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

/** Short types are shown, long ones on demand. */
function Schema({ of, title, text }: { of: string; title: string; text: string }) {
  const code = (
    <section
      aria-label={`${title} of ${of}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      className="scroll-hint sunken mt-1 max-h-96 overflow-auto rounded-tile px-3 py-2"
    >
      <pre className="text-xs leading-5 max-sm:break-words max-sm:whitespace-pre-wrap">{text}</pre>
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
