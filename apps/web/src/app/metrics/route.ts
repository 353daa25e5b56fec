import { checkAccess } from '@/server/access';
import { metricsText } from '@/server/metrics';
import { identify } from '@/server/principal';
import { problemOf, problemResponse } from '@/server/problem';
import { services } from '@/server/services';

/** For Prometheus. As public as the rest of the grid: a private one asks for a token. */
export async function GET(request: Request): Promise<Response> {
  try {
    const opened = await services();
    const { principal } = await identify(request, opened);
    checkAccess('read', principal, opened.settings.isPublic);
    return new Response(await metricsText(opened), {
      headers: {
        'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
        'Cache-Control': 'no-store',
      },
    });
  } catch (error) {
    return problemResponse(problemOf(error));
  }
}
