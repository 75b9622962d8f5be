"""The update rules of optimizers, one operator each.

How they are applied stands in applying.py. Which rule is used with which slots and hyperparameters
is the business of train/optimizers.py.
"""

from __future__ import annotations

from tensorlite.core.xp import Array, Xp
from tensorlite.ops.nn.applying import Apply, Arrays, Squaring


class ResourceApplyGradientDescent(Apply):
    """w - lr g."""

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return the new variable; hyper: learning rate."""
        return (values[0] - hyper[0] * g,)


class ResourceApplyMomentum(Apply):
    """a = m a + g; w - lr a, or with Nesterov's look ahead w - lr (g + m a)."""

    behind = 1
    use_nesterov: bool = False

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return variable and accumulator; hyper: learning rate, momentum."""
        (w, accumulated), (lr, momentum) = values, hyper
        accumulated = momentum * accumulated
        accumulated += g
        step = g + momentum * accumulated if self.use_nesterov else accumulated
        return w - lr * step, accumulated


class ResourceApplyKerasMomentum(ResourceApplyMomentum):
    """v = m v - lr g; w + v, or with Nesterov's look ahead w + m v - lr g.

    The same as momentum while the learning rate stays.
    """

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return variable and velocity; hyper: learning rate, momentum."""
        (w, velocity), (lr, momentum) = values, hyper
        step = lr * g
        velocity = momentum * velocity - step
        return w + (
            momentum * velocity - step if self.use_nesterov else velocity
        ), velocity


class ResourceApplyAdagradV2(Squaring):
    """a + g^2; w - lr g / (sqrt(a) + eps). Duchi, Hazan and Singer 2011."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable and accumulator; hyper: learning rate, epsilon."""
        (w, accumulated), (lr, epsilon) = values, hyper
        accumulated = accumulated + square
        return w - lr * g / (xp.sqrt(accumulated) + epsilon), accumulated


class ResourceApplyAdagrad(Squaring):
    """a + g^2; w - lr g / sqrt(a)."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable and accumulator; hyper: learning rate."""
        (w, accumulated), (lr,) = values, hyper
        accumulated = accumulated + square
        return w - lr * g / xp.sqrt(accumulated), accumulated


class ResourceApplyAdagradDA(Squaring):
    """Adagrad's dual averaging, which drives weights to exact zeros."""

    behind = 4

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, summed gradient and summed square; hyper: lr, l1, l2, step."""
        (_, total, squares), (lr, l1, l2, count) = values, hyper
        step = count.astype(lr.dtype)
        total, squares = total + g, squares + square
        shrunk = xp.sign(total) * xp.maximum(xp.abs(total) - l1 * step, 0)
        return -lr * shrunk / (l2 * step * lr + xp.sqrt(squares)), total, squares


class ResourceApplyAdadelta(Squaring):
    """Zeiler 2012: steps in the units of the weights."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean square and mean squared step; hyper: lr, rho, epsilon."""
        (w, squares, steps), (lr, rho, epsilon) = values, hyper
        squares = rho * squares + (1 - rho) * square
        share = xp.sqrt(steps + epsilon) / xp.sqrt(squares + epsilon)
        square *= share * share
        return w - lr * (share * g), squares, rho * steps + (1 - rho) * square


def moved(mean: Array, x: Array, decay: Array) -> Array:
    """Return mean + (x - mean) * (1 - decay), rounded as in TensorFlow, in one fresh array."""
    return _moved_by(x - mean, mean, decay)


def moved_square(mean: Array, square: Array, decay: Array) -> Array:
    """Return the moving mean of squares, likewise; the new square is written over."""
    square -= mean
    return _moved_by(square, mean, decay)


def _moved_by(away: Array, mean: Array, decay: Array) -> Array:
    away *= 1 - decay
    away += mean
    return away


def _with_momentum(
    xp: Xp, moving: Array, step: Array, momentum: Array, squares: Array
) -> Array:
    """Return momentum * moving + step / sqrt(squares); the step is written over."""
    step /= xp.sqrt(squares)
    step += momentum * moving
    return step


class ResourceApplyRMSProp(Squaring):
    """Hinton's RMSProp with momentum."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean square and momentum; hyper: lr, rho, momentum, epsilon."""
        (w, squares, moving), (lr, rho, momentum, epsilon) = values, hyper
        squares = moved_square(squares, square, rho)
        moving = _with_momentum(xp, moving, lr * g, momentum, squares + epsilon)
        return w - moving, squares, moving


class ResourceApplyCenteredRMSProp(Squaring):
    """RMSProp that divides by the deviation from the mean gradient (Graves 2013)."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean, mean square and momentum; hyper as RMSProp's."""
        (w, mean, squares, moving), (lr, rho, momentum, epsilon) = values, hyper
        mean, squares = moved(mean, g, rho), moved_square(squares, square, rho)
        spread = squares - mean * mean
        spread += epsilon
        moving = _with_momentum(xp, moving, lr * g, momentum, spread)
        return w - moving, mean, squares, moving


def stepped(xp: Xp, w: Array, hyper: Arrays, mean: Array, squares: Array) -> Array:
    """Return w - rate * mean / (sqrt(squares) + epsilon), with Adam's corrected rate."""
    lr, beta1, beta2, epsilon, step = hyper
    rate = lr * xp.sqrt(1 - beta2**step) / (1 - beta1**step)
    return _stepped_by(xp, w, mean, squares, (rate, epsilon))


def _stepped_by(xp: Xp, w: Array, mean: Array, squares: Array, by: Arrays) -> Array:
    rate, epsilon = by
    down = xp.sqrt(squares)
    down += epsilon
    down = mean / down
    down *= rate
    return w - down


class ResourceApplyAdam(Squaring):
    """Kingma and Ba 2015, with the bias correction folded into the step as TensorFlow does."""

    use_nesterov: bool = False

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean and mean square; hyper: lr, beta1, beta2, epsilon, step."""
        (w, mean, squares), (_, beta1, beta2, *_) = values, hyper
        mean, squares = moved(mean, g, beta1), moved_square(squares, square, beta2)
        ahead = beta1 * mean + (1 - beta1) * g if self.use_nesterov else mean
        return stepped(xp, w, hyper, ahead, squares), mean, squares


class AdamByPowers(Squaring):
    """Adam as TensorFlow 1's: the rate is corrected by powers that variables keep, not by counting.

    TensorFlow's operator is ResourceApplyAdam, whose name the rule that counts has here.
    """

    use_nesterov: bool = False

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean and mean square; hyper: both powers, lr, betas, epsilon."""
        (w, mean, squares), (power1, power2, lr, beta1, beta2, epsilon) = (
            values,
            hyper,
        )
        mean, squares = moved(mean, g, beta1), moved_square(squares, square, beta2)
        ahead = beta1 * mean + (1 - beta1) * g if self.use_nesterov else mean
        rate = lr * xp.sqrt(1 - power2) / (1 - power1)
        return _stepped_by(xp, w, ahead, squares, (rate, epsilon)), mean, squares


class ResourceApplyAdamWithAmsgrad(Squaring):
    """Adam that divides by the largest mean square so far (Reddi, Kale and Kumar 2018)."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean, mean square and its maximum; hyper as Adam's."""
        (w, mean, squares, largest), (_, beta1, beta2, *_) = values, hyper
        mean, squares = moved(mean, g, beta1), moved_square(squares, square, beta2)
        largest = xp.maximum(largest, squares)
        return stepped(xp, w, hyper, mean, largest), mean, squares, largest


class AmsgradByPowers(Squaring):
    """ResourceApplyAdamWithAmsgrad as TensorFlow's: powers come with it, as AdamByPowers' do."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean, mean square and its maximum; hyper as AdamByPowers'."""
        *held, largest = values
        power1, power2, lr, beta1, beta2, epsilon = hyper
        mean, squares = moved(held[1], g, beta1), moved_square(held[2], square, beta2)
        largest = xp.maximum(largest, squares)
        rate = lr * xp.sqrt(1 - power2) / (1 - power1)
        moved_on = _stepped_by(xp, held[0], mean, largest, (rate, epsilon))
        return moved_on, mean, squares, largest


class ResourceApplyAdamW(Squaring):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter 2019)."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, mean and mean square; hyper as Adam's and the decay last."""
        (w, *slots), (lr, *rest, decay) = values, hyper
        decayed = w - lr * decay * w
        numbers = [lr, *rest]
        return ResourceApplyAdam().update_by(
            xp, [decayed, *slots], numbers, g, square
        )


class ResourceApplyAdaMax(Apply):
    """Adam by the largest gradient in the place of the mean square (Kingma and Ba 2015)."""

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return variable, mean and bound; hyper: beta1_power, lr, beta1, beta2, epsilon."""
        (w, mean, bound), (power, lr, beta1, beta2, epsilon) = values, hyper
        mean = moved(mean, g, beta1)
        bound = xp.maximum(beta2 * bound, xp.abs(g))
        return w - lr / (1 - power) * (mean / (bound + epsilon)), mean, bound


class _BySigns(Apply, abstract=True):
    """Steps that are longer where the gradient and its mean have one sign (Bello et al. 2017)."""

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return variable and mean; hyper: lr, a number, sign_decay, beta."""
        (w, mean), (lr, number, decay, beta) = values, hyper
        mean = mean * beta + g * (1 - beta)
        agreement = decay * xp.sign(g) * xp.sign(mean)
        return w - lr * self.scale(xp, number, agreement) * g, mean

    def scale(self, xp: Xp, number: Array, agreement: Array) -> Array:
        """Return what the gradient is multiplied by."""
        raise TypeError(f"{self.name} defines no scale")


class ResourceApplyPowerSign(_BySigns):
    """Scales by a power; the number is the logarithm of its base."""

    def scale(self, xp: Xp, number: Array, agreement: Array) -> Array:
        """Return the power."""
        return xp.exp(number * agreement)


class ResourceApplyAddSign(_BySigns):
    """Scales by a sum with the number."""

    def scale(self, xp: Xp, number: Array, agreement: Array) -> Array:
        """Return the sum."""
        return number + agreement


class ResourceApplyFtrl(Squaring):
    """Follow the regularised leader, without shrinkage."""

    behind = 4

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, squares and linear sum; hyper: lr, l1, l2, power."""
        *rates, power = hyper
        return ResourceApplyFtrlV2().update_by(
            xp, values, [*rates, xp.zeros_like(power), power], g, square
        )


class ResourceApplyFtrlV2(Squaring):
    """Follow the regularised leader (McMahan et al. 2013)."""

    behind = 5

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable, squares and linear sum; hyper: lr, l1, l2, shrinkage, power."""
        (w, squares, linear), (lr, l1, l2, shrinkage, power) = values, hyper
        shrunk = g + 2 * shrinkage * w
        grown = squares + square
        linear = linear + shrunk - (grown**-power - squares**-power) / lr * w
        curvature = grown**-power / lr + 2 * l2
        kept = xp.abs(linear) > l1
        return (
            xp.where(kept, (xp.sign(linear) * l1 - linear) / curvature, 0 * w),
            grown,
            linear,
        )


class ResourceApplyProximalGradientDescent(Apply):
    """A gradient step, then the proximal step of l1 and l2 (Duchi and Singer 2009)."""

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return the variable; hyper: lr, l1, l2."""
        lr, l1, l2 = hyper
        return (_proximal(xp, values[0] - lr * g, lr, l1, l2),)


class ResourceApplyProximalAdagrad(Squaring):
    """Adagrad's step, then the proximal step of l1 and l2."""

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return variable and accumulator; hyper: lr, l1, l2."""
        (w, accumulated), (lr, l1, l2) = values, hyper
        accumulated = accumulated + square
        rate = lr / xp.sqrt(accumulated)
        return _proximal(xp, w - rate * g, rate, l1, l2), accumulated


def _proximal(xp: Xp, w: Array, rate: Array, l1: Array, l2: Array) -> Array:
    return xp.sign(w) / (1 + rate * l2) * xp.maximum(xp.abs(w) - rate * l1, 0)
