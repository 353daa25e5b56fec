import { HttpProblem, problemResponse } from '@/server/problem';

/** Addresses under /api that are no operation: a program is told so in JSON. */
const nothingHere = (request: Request) =>
  problemResponse(
    new HttpProblem(
      404,
      `There is nothing at ${new URL(request.url).pathname}; /api/v1/openapi.json lists what there is.`,
    ),
  );

export {
  nothingHere as DELETE,
  nothingHere as GET,
  nothingHere as PATCH,
  nothingHere as POST,
  nothingHere as PUT,
};
