"""The model settings of a local delegation: those of the environment; must not read a file or call anybody."""

from pydantic import ValidationError

from agent.adapters.models.options import ModelOptions
from deploy.delegate.request import CannotStart
from worker.contract.names import PREFIX
from worker.model_settings import ModelSettings


def from_environment() -> ModelOptions:
    """What the environment says; CannotStart naming what does not fit, without its value."""
    try:
        return ModelSettings().options()
    except ValidationError as error:
        named = ", ".join(f"{PREFIX}{str(fault['loc'][0]).upper()}: {fault['msg']}" for fault in error.errors())
    raise CannotStart(f"These settings do not fit: {named}.")
